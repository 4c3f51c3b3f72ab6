// Copy-compute splitting: what reduces take that copy, or have copied and wait for their slots.
#include <algorithm>
#include <limits>

#include "jobqueue/model/check.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {
namespace {

// Memory and cores are taken from the launch on: only the slots wait.
Resources without_slots(Resources need) {
  need.slots(TaskKind::kReduce) = 0;
  return need;
}

Resources slots_alone(const Job& job) {
  Resources slots;
  slots.slots(TaskKind::kReduce) = job.width(TaskKind::kReduce);
  return slots;
}

}  // namespace

std::int64_t ClusterState::copy_room(const TrackerState& tracker) const {
  const std::int64_t places = copy_factor_ * tracker.total.slots(TaskKind::kReduce);
  return std::max<std::int64_t>(0, places - tracker.copy_slots);
}

bool ClusterState::may_launch(const Job& job, TaskKind kind, const TrackerState& tracker) const {
  const Size& size = job.size(kind);
  if (is_group(kind) && !allows(job, kind, tracker)) return false;
  if (!splits(kind)) {
    return fits(size.need, tracker.total, tracker.used, space_.looked_at(total()), size.end);
  }
  const Resources& need = size.need;
  return need.slots(kind) <= std::min(copy_room(tracker), tracker.total.slots(kind)) &&
         fits_in(without_slots(need), tracker, tracker.used);
}

bool ClusterState::may_compute(const Job& job, const TrackerState& tracker) const {
  const TaskKind kind = TaskKind::kReduce;
  return job.width(kind) <= tracker.total.slots(kind) - tracker.used.slots(kind);
}

// What the attempt holds of its tracker comes (1) or goes (-1).
void ClusterState::hold(TrackerState& tracker, const Attempt& attempt, int sign) {
  const Job& job = this->job(attempt.key.task.job);
  const Size& size = job.size(attempt.key.task.kind);
  if (!attempt.has_slots()) {
    tracker.copy_slots += sign * job.width(TaskKind::kReduce);
    return trackers_.use(tracker, without_slots(size.need), sign);
  }
  if (const TaskKind kind = attempt.key.task.kind; is_group(kind))
    tracker.ports_used += static_cast<std::uint32_t>(sign) *
                          job.spec->task_groups[group_number(kind)].ports;
  trackers_.use(tracker, size.need, sign, size.end);
}

// A reduce without slots that does not die.
void ClusterState::count_copy(const Attempt& attempt, int sign) {
  TaskGroup& group = mutable_job(attempt.key.task.job).tasks(TaskKind::kReduce);
  const bool copied = attempt.copy == CopyStage::kCopied;
  (copied ? group.copied : group.copying) += static_cast<std::uint32_t>(sign);
  if (copied) trackers_.at(attempt.tracker).copied += static_cast<std::uint32_t>(sign);
}

void ClusterState::set_copy_stage(Attempt& attempt, CopyStage stage) {
  life::kCopy.check(attempt.copy, stage);
  attempt.copy = stage;
  trackers_.at(attempt.tracker).held[attempt.tracker_place].copy = stage;
}

void ClusterState::set_copied(Attempt& attempt) {
  WEIR_CHECK(!attempt.dying(), "what is to die waits for no slots");
  count_copy(attempt, -1);
  set_copy_stage(attempt, CopyStage::kCopied);
  count_copy(attempt, 1);
}

void ClusterState::grant_slots(Attempt& attempt, TimeMs now) {
  WEIR_CHECK(!attempt.has_slots() && !attempt.dying(), "slots are granted once");
  const Job& job = this->job(attempt.key.task.job);
  const TaskKind kind = TaskKind::kReduce;
  TrackerState& tracker = trackers_.at(attempt.tracker);
  count_copy(attempt, -1);
  tracker.copy_slots -= job.width(kind);
  set_copy_stage(attempt, CopyStage::kGranted);
  trackers_.use(tracker, slots_alone(job), 1);
  attempt.copied_for_ms = static_cast<std::uint32_t>(
      std::min<DurationMs>(attempt.ran_ms(now), std::numeric_limits<std::uint32_t>::max()));
  ++mutable_job(job.id).tasks(kind).running;
  add_running(attempt.queue, attempt.user, job.size(kind), 1);
  for (QueueId q = attempt.queue; q.valid(); q = tree_.parent(q)) {
    std::uint64_t& last = queues_[q.index()].last_launch[index(kind)];
    last = std::max(last, attempt.launch_order);
  }
}

void ClusterState::set_computing(Attempt& attempt) {
  set_copy_stage(attempt, CopyStage::kNone);
}

}  // namespace weir
