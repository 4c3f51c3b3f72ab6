// What the end of an attempt will look at of the state, in the order in which it can be found.
#include "jobqueue/prefetch.h"

#include "jobqueue/cluster_state.h"

namespace weir {

void ClusterState::prefetch_attempt(AttemptSlot slot) const {
  prefetch_lines(attempts_[slot.index()]);
}

void ClusterState::prefetch_records(const Attempt& attempt) const {
  const TaskKey& task = attempt.key.task;
  if (const Job* job = find_job(task.job)) {
    prefetch_lines(job, kCacheLine);
    prefetch_lines(job->group[index(task.kind)]);
  }
  const QueueState& queue = queues_[attempt.queue.index()];
  prefetch_lines(&queue, 2 * kCacheLine);  // up to the counters that ends add to
}

void ClusterState::prefetch_contents(const Attempt& attempt) const {
  const TaskKey& task = attempt.key.task;
  const Job& job = this->job(task.job);
  __builtin_prefetch(&job.tasks(task.kind).tasks[task.index]);
  __builtin_prefetch(job.spec.get());
  const QueueState& queue = queues_[attempt.queue.index()];
  prefetch_few(queue.users);
  prefetch_few(queue.counters.users);
}

}  // namespace weir
