// What the end of an attempt will look at of the state, in the order in which it can be found.
#include "jobqueue/prefetch.h"

#include "jobqueue/cluster_state.h"

namespace weir {

void ClusterState::prefetch_attempt(AttemptSlot slot) const {
  prefetch_lines(attempts_[slot.index()]);
}

void ClusterState::prefetch(const Attempt& attempt, int step) const {
  const TaskKey& task = attempt.key.task;
  const QueueState& queue = queues_[attempt.queue.index()];
  if (step == 0) {
    if (task.job.index() < job_index_.size()) __builtin_prefetch(&job_index_[task.job.index()]);
    prefetch_lines(&queue, 2 * kCacheLine);  // up to the counters that ends add to
    return;
  }
  const Job& job = this->job(task.job);
  if (step == 1) {
    prefetch_lines(&job, kCacheLine);
    prefetch_lines(job.group[index(task.kind)]);
    prefetch_few(queue.users);
    prefetch_few(queue.counters.users);
  } else if (step == 2) {
    __builtin_prefetch(&job.tasks(task.kind).tasks[task.index]);
    __builtin_prefetch(job.spec.get());
    if (job.has_locations) prefetch_lines(job.locality);
  } else if (job.has_locations && task.kind == TaskKind::kMap) {
    job.locality.prefetch(task.index);
  }
}

}  // namespace weir
