// What the end of an attempt will look at of the state, in the order in which it can be found.
#include "jobqueue/model/prefetch.h"

#include "jobqueue/model/cluster_state.h"

namespace weir {

void ClusterState::prefetch_attempt(AttemptSlot slot) const {
  prefetch_lines(attempts_[slot.index()]);
}

void ClusterState::prefetch(const Attempt& attempt, int step) const {
  const TaskKey& task = attempt.key.task;
  const QueueState& queue = queues_[attempt.queue.index()];
  prefetch(task, step);
  if (step == 0) {
    prefetch_lines(&queue, 2 * kCacheLine);  // up to the counters that ends add to
  } else if (step == 1) {
    prefetch_few(queue.users);
    prefetch_few(queue.counters.users);
  } else if (const Job& job = this->job(task.job); !job.has_locations) {
    return;
  } else if (step == 2) {
    prefetch_lines(job.locality);
  } else if (task.kind == TaskKind::kMap) {
    job.locality.prefetch(task.index);
  }
}

void ClusterState::prefetch(const TaskKey& task, int step) const {
  if (step == 0) {
    return job_index_.prefetch(task.job.index());
  }
  const Job* job = find_job(task.job);
  if (job == nullptr) return;
  if (is_group(task.kind) && !job->has(task.kind)) return;  // else nothing of it is read yet
  const TaskGroup& group = job->tasks(task.kind);
  if (step == 1) {
    prefetch_lines(job, kCacheLine);
    prefetch_lines(group);
  } else if (step == 2) {
    if (task.index < group.tasks.size()) __builtin_prefetch(&group.tasks[task.index]);
    __builtin_prefetch(job->spec.get());
  }
}

}  // namespace weir
