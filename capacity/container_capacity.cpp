#include "capacity/container_capacity.h"

#include <algorithm>

#include "jobqueue/policy/container_reasons.h"

namespace weir {

ContainerCapacity::ContainerCapacity(const ClusterState& state, PolicyMemory&)
    : state_(state),
      settings_(capacity_settings(state.settings())),
      standing_(state, settings_.redistribute_by),
      users_(state, standing_),
      heads_(state, standing_),
      launched_(state.tree().size()) {}

// --- What has changed ---

void ContainerCapacity::on_job_added(JobId job) {
  standing_.index().add(job);
  standing_.index().mark(state_.job(job).queue.index());  // of whom there are more users
}

void ContainerCapacity::on_job_changed(JobId job, QueueId old_queue) {
  standing_.index().change(job);
  standing_.index().mark(old_queue.index());  // what it runs has moved with it
  standing_.index().mark(state_.job(job).queue.index());
}

void ContainerCapacity::on_launched(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  standing_.index().mark(attempt.queue.index());  // what pends is told by itself
  const Resources& need = state_.job(attempt.key.task.job).need(attempt.key.task.kind);
  Amounts& launched = launched_[attempt.queue.index()];
  for (const Dimension d : state_.space().dimensions()) launched[d] += need[d];
}

void ContainerCapacity::on_released(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  if (attempt.dying()) standing_.index().read(attempt.key.task.job, attempt.key.task.kind);
  standing_.index().mark(attempt.queue.index());
}

// --- What it says ---

QueueFigures ContainerCapacity::figures(QueueId queue, Dimension dimension) const {
  standing_.settle();
  const QueueLine& line = standing_.line(queue, dimension);
  return {.guaranteed = line.guaranteed,
          .allocated = line.allocated,
          .running = line.facts.running,
          .pending = line.facts.pending,
          .demand = std::min(line.maximum, line.facts.wanted()),
          .maximum = line.maximum,
          .kept = standing_.bounds().keep(queue)[dimension],
          .priorities = priorities_count(state_, queue)};
}

std::vector<Reason> ContainerCapacity::explain(JobId id, TaskKind kind, TimeMs) const {
  standing_.settle();
  const Job& job = state_.job(id);
  const Resources& need = job.need(kind);
  const Space& space = state_.space();
  const QueueBounds& bounds = standing_.bounds();
  std::vector<Reason> reasons;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    const Amounts& run = state_.queue(q).running;
    for (const Dimension d : space.dimensions()) {
      if (!bounds.has_maximum(q) || need[d] == 0 || run[d] + need[d] <= bounds.maximum(q)[d])
        continue;
      reasons.push_back({"queue_at_maximum",
                         "queue " + state_.tree().node(q).path + " runs " +
                             std::to_string(run[d]) + " of its maximum of " +
                             std::to_string(bounds.maximum(q)[d]) + " " +
                             std::string(space.name(d)),
                         {{"running", run[d]}, {"maximum", bounds.maximum(q)[d]}}});
    }
  }
  if (!standing_.leaves_what_is_kept(job.queue, need)) {
    reasons.push_back({"kept",
                       "what is free is kept for queues that do not lend their guarantees",
                       {}});
  }
  const std::vector<Reason> room = reasons_of_room(state_, job, kind);
  reasons.insert(reasons.end(), room.begin(), room.end());
  return reasons;
}

}  // namespace weir
