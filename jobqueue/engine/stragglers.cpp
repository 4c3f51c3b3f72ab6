#include "jobqueue/engine/stragglers.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/policy/speculation_facet.h"

namespace weir {

namespace {

// Of more jobs with stragglers than that a heartbeat looks at some, the next one at the next.
constexpr std::size_t kJobsLookedAt = 64;

}  // namespace

// Whether a second attempt was started. Slots that are kept for somebody are not for these.
bool Stragglers::speculate(TrackerState& tracker, Offer& offer,
                           std::array<bool, kTaskKindCount>& speculated) {
  state_.age_attempts();
  if (tracker.keeps > 0 || policy_->speculation() == nullptr) return false;
  for (const TaskKind kind : kTaskKinds) {
    if (speculated[index(kind)] || offer.free[index(kind)] <= 0) continue;
    if (state_.jobs_with_stragglers(kind).empty()) continue;
    const auto choice = choose_straggler(kind, offer);
    if (!choice) continue;
    speculated[index(kind)] = true;
    parts_.launches.start(tracker, *choice, offer, 0, true);
    return true;
  }
  return false;
}

std::optional<Choice> Stragglers::choose_straggler(TaskKind kind, const Offer& offer) {
  const std::set<JobId>& jobs = state_.jobs_with_stragglers(kind);
  const std::size_t looks = std::min(jobs.size(), kJobsLookedAt);
  JobId& last = speculated_last_[index(kind)];
  auto next = jobs.size() > kJobsLookedAt && last.valid() ? jobs.upper_bound(last) : jobs.begin();
  Speculation& rules = *policy_->speculation();
  std::optional<Choice> best;
  for (std::size_t i = 0; i < looks; ++i, ++next) {
    if (next == jobs.end()) next = jobs.begin();
    last = *next;
    const Job& job = state_.job(*next);
    if (!job.schedulable() || job.width(kind) > offer.free[index(kind)]) continue;
    if (!rules.may_speculate(*next, kind, offer)) continue;
    if (best && !rules.comes_before(*next, best->task.job, kind)) continue;
    if (const auto pick = state_.pick_straggler(*next, kind, offer.tracker)) {
      best = launch_of(*pick);
    }
  }
  return best;
}

// After a restart both attempts of a task go on, if they are on two trackers. At other times an
// attempt that is not known is one that was given up.
bool Stragglers::may_adopt_beside(const Job& job, const TrackerState& tracker,
                                  const AttemptReport& report) const {
  const TaskKey& key = report.attempt.task;
  const Task& task = job.tasks(key.kind).tasks[key.index];
  if (!parts_.recovery.recovering() || !job.speculates_in(key.kind)) return false;
  if (state_.alive_attempts(task) != 1 || state_.attempt_on(task, tracker.id).valid()) return false;
  const bool publishes = job.type->publishes(*job.spec, key.kind);
  const bool granted = task.commit_granted && task.commit_attempt == report.attempt.attempt;
  return report.state != ReportedState::kSucceeded || !publishes || granted;
}

// After a restart they are told of in any order.
void Stragglers::mark_the_second(const Task& task, AttemptSlot adopted) {
  Attempt& told_last = state_.mutable_attempt(adopted);
  state_.each_attempt(task, [&](AttemptSlot slot) {
    Attempt& other = state_.mutable_attempt(slot);
    if (other.dying() || other.key.attempt <= told_last.key.attempt) return;
    other.speculative = true;
    told_last.speculative = false;
  });
}

// One attempt has succeeded: the others are of no use any more.
void Stragglers::kill_losers(Job& job, const TaskKey& key) {
  state_.each_attempt(job.tasks(key.kind).tasks[key.index], [&](AttemptSlot slot) {
    parts_.attempts.order_kill(slot, KillReason::kSpeculative, QueueId{});
  });
  pending_changed(job, key.kind);
}

}  // namespace weir
