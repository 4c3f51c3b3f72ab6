#include "capacity/container_capacity.h"

#include <algorithm>

#include "capacity/container_explain.h"

namespace weir {

ContainerCapacity::ContainerCapacity(const ClusterState& state, PolicyMemory&)
    : state_(state),
      settings_(capacity_settings(state.settings())),
      standing_(state, settings_.redistribute_by),
      users_(state, standing_),
      heads_(state, standing_),
      launched_(state.tree().size()),
      owed_(state, standing_) {}

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
  std::int64_t pending = line.facts.pending;
  if (standing_.bounds().has_maximum(queue))
    pending = std::min(pending, std::max<std::int64_t>(0, line.maximum - line.facts.running));
  return {.guaranteed = line.guaranteed,
          .allocated = line.allocated,
          .running = line.facts.running,
          .pending = pending,
          .demand = std::min(line.maximum, line.facts.wanted()),
          .maximum = line.maximum,
          .kept = standing_.bounds().keep(queue)[dimension],
          .user_limit = users_.limit_shown(queue, dimension),
          .priorities = priorities_count(state_, queue)};
}

QueueUse ContainerCapacity::use(QueueId queue, Dimension dimension) const {
  standing_.settle();
  const QueueLine& line = standing_.line(queue, dimension);
  return {line.guaranteed, line.allocated, line.facts.running};
}

std::vector<Reason> ContainerCapacity::explain(JobId job, TaskKind kind, TimeMs now) const {
  standing_.settle();
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  return ContainerExplain(state_, standing_, users_, kept, settings_.preemption)
      .reasons(state_.job(job), kind, now);
}

}  // namespace weir
