#include "jobqueue/engine/copies.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/policy/copy_split_facet.h"

namespace weir {

// The tracker's word counts: what computes has been told to, perhaps before a restart.
void Copies::take_copy(AttemptSlot slot, const AttemptReport& report) {
  Attempt& attempt = state_.mutable_attempt(slot);
  const bool computes =
      report.phase >= TaskPhase::kReduce || report.state == ReportedState::kCommitPending;
  if (computes) {
    if (!attempt.has_slots()) grant(slot);
    return state_.set_computing(attempt);
  }
  if (attempt.copy != CopyStage::kCopying || report.phase != TaskPhase::kSort) return;
  state_.set_copied(attempt);
  if (CopySplit* copies = policy_->copies()) copies->on_copied(slot);
  touch(state_.job(attempt.key.task.job));
}

void Copies::grant(AttemptSlot slot) {
  Attempt& attempt = state_.mutable_attempt(slot);
  state_.grant_slots(attempt, now_);
  emit(ComputeGranted{attempt.key, attempt.tracker, attempt.queue});
  policy_->on_launched(slot);
  touch(state_.job(attempt.key.task.job));
}

// The slots that launches may take. Without splitting, those that are left over by who has copied
// there, or wait for it, are nobody else's unless they are kept for somebody.
std::int64_t Copies::launch_room(const TrackerState& tracker, TaskKind kind) const {
  if (state_.splits(kind)) return state_.copy_room(tracker);
  const std::int64_t free = tracker.total.slots(kind) - tracker.used.slots(kind);
  if (kind == TaskKind::kMap || tracker.copied == 0) return free;
  const bool waits =
      std::any_of(tracker.held.begin(), tracker.held.end(), [&](const HeldAttempt& held) {
        return held.copy == CopyStage::kCopied && held.state != AttemptState::kDying;
      });
  return waits ? std::min(free, state_.claims().held_on(tracker.id, kind)) : free;
}

// A tracker may shrink. Who has copied there and needs more than all its slots would wait for ever.
void Copies::end_stranded(const TrackerState& tracker) {
  const TaskKind kind = TaskKind::kReduce;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const HeldAttempt& held = tracker.held[i];
    if (held.copy != CopyStage::kCopied || held.state == AttemptState::kDying) continue;
    if (state_.job(held.key.task.job).width(kind) <= tracker.total.slots(kind)) continue;
    parts_.attempts.order_kill(tracker.attempts[i], KillReason::kNoRoom, QueueId{});
  }
}

void Copies::grant_slots(TrackerState& tracker) {
  end_stranded(tracker);
  if (!state_.splits(TaskKind::kReduce)) return grant_in_order(tracker);
  Offer offer;
  offer.tracker = tracker.id;
  offer.now = now_;
  while (tracker.copied > 0) {
    std::int64_t& free = offer.free[index(TaskKind::kReduce)];
    free = tracker.total.slots(TaskKind::kReduce) - tracker.used.slots(TaskKind::kReduce);
    if (free <= 0) return;
    const auto choice = policy_->copies()->choose_compute(offer);
    if (!choice) return;
    const bool done = choice->what == Choice::What::kCompute
                          ? compute(tracker, *choice)
                          : parts_.holds.settle_choice(tracker, *choice);
    if (!done) return;
  }
}

// The first one launched has the first slots; a wide one waits until there are enough.
void Copies::grant_in_order(TrackerState& tracker) {
  const TaskKind kind = TaskKind::kReduce;
  std::vector<AttemptSlot> waiting;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const HeldAttempt& held = tracker.held[i];
    if (held.copy != CopyStage::kCopied || held.state == AttemptState::kDying) continue;
    waiting.push_back(tracker.attempts[i]);
  }
  std::sort(waiting.begin(), waiting.end(), [this](AttemptSlot a, AttemptSlot b) {
    return state_.attempt(a).launch_order < state_.attempt(b).launch_order;
  });
  for (const AttemptSlot slot : waiting) {
    const std::int64_t free = tracker.total.slots(kind) - tracker.used.slots(kind) -
                              state_.claims().held_on(tracker.id, kind);
    if (state_.job(state_.attempt(slot).key.task.job).width(kind) > free) return;
    grant(slot);
  }
}

// The mechanism's own check, as for launches.
bool Copies::compute(TrackerState& tracker, const Choice& choice) {
  const TaskKey key = choice.task;
  const Job* job = state_.find_job(key.job);
  AttemptSlot slot;
  if (job != nullptr && key.kind == TaskKind::kReduce && key.index < job->tasks(key.kind).total) {
    slot = state_.attempt_on(job->tasks(key.kind).tasks[key.index], tracker.id);
  }
  const char* wrong = nullptr;
  std::size_t held = 0;
  if (!slot.valid()) {
    wrong = "it does not run there";
  } else if (state_.attempt(slot).copy != CopyStage::kCopied || state_.attempt(slot).dying()) {
    wrong = "it does not wait for slots";
  } else if (is_over(job->state) || job->duty != Job::Duty::kNone) {
    wrong = "the job may not run";
  } else if (!state_.may_compute(*job, tracker)) {
    wrong = "the tracker has no slots free";
  } else {
    wrong = parts_.launches.wrong_hold(tracker, choice, *job, held);
  }
  if (wrong != nullptr) {
    parts_.launches.refuse_choice(tracker, choice, wrong);
    return false;
  }
  if (choice.hold != 0) parts_.holds.use_hold(held, job->width(key.kind));
  if (job->width(key.kind) > 1)
    parts_.holds.release_reservations(job->id, TrackerId{}, "used", key.kind);
  grant(slot);
  return true;
}

}  // namespace weir
