#include "jobqueue/engine/tracker_losses.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"

namespace weir {

constexpr std::uint32_t kMostLosses = 3;
constexpr DurationMs kKnownForMs = 3'600'000;

std::uint32_t TrackerLosses::losses(const TaskKey& task) const {
  const Job& job = state_.job(task.job);
  const auto found = job.losses.find({task.kind, task.index});
  return found == job.losses.end() ? 0 : found->second;
}

bool TrackerLosses::is_known(UserId user) const {
  const auto found = known_.find(user);
  return found != known_.end() && now_ - found->second < kKnownForMs;
}

std::vector<TaskKey> TrackerLosses::blame_for(TrackerState& tracker) {
  const auto known = [this](const auto& lost) {
    return is_known(state_.job(lost.key.task.job).user);
  };
  const bool among_known =
      std::any_of(tracker.lost_attempts.begin(), tracker.lost_attempts.end(), known);
  std::uint32_t most = 0;
  for (const auto& lost : tracker.lost_attempts) {
    if (!among_known || known(lost)) most = std::max(most, losses(lost.key.task));
  }
  std::vector<TaskKey> blamed;
  for (auto& lost : tracker.lost_attempts) {
    const TaskKey& task = lost.key.task;
    if (among_known && !known(lost)) continue;
    if (is_over(state_.job(task.job).state) || losses(task) < most) continue;
    lost.blamed = true;
    blamed.push_back(task);
  }
  for (const TaskKey& task : blamed) {
    Job& job = state_.mutable_job(task.job);
    ++job.losses[{task.kind, task.index}];
    if (!job.is_suspect(task.kind, task.index)) continue;
    job.has_failures = true;
    auto& places = job.failed_on[{task.kind, task.index}];
    if (std::find(places.begin(), places.end(), tracker.id) == places.end())
      places.push_back(tracker.id);
  }
  return blamed;
}

void TrackerLosses::fail_those_who_take_trackers_down(const std::vector<TaskKey>& blamed,
                                                      const TrackerState& tracker) {
  for (const TaskKey& task : blamed) {
    if (state_.find_job(task.job) == nullptr) continue;
    Job& job = state_.mutable_job(task.job);
    const auto found = job.losses.find({task.kind, task.index});
    if (is_over(job.state) || found == job.losses.end() || found->second < kMostLosses) continue;
    const std::string why = task_name(task) + " was lost with its tracker " +
                            std::to_string(found->second) + " times, last with " + tracker.name +
                            ", which " + tracker.lost_why + ": it seems to take trackers down";
    known_[job.user] = now_;
    parts_.jobs.begin_end(job, JobState::kFailed, why, KillReason::kJobFailed);
  }
}

// An attempt that the engine does not hold comes from before the JobTracker was started, if this is
// the tracker's first report since, or it was lost with the tracker. Any other was never given out
// here.
bool TrackerLosses::may_come_back(const TrackerState& tracker, const AttemptKey& attempt) const {
  if (attempt.attempt < parts_.attempts.first_number() && !tracker.reported) return true;
  const auto& lost = tracker.lost_attempts;
  return std::any_of(lost.begin(), lost.end(), [&](const auto& l) { return l.key == attempt; });
}

void TrackerLosses::came_back(const TrackerState& tracker, Job& job, const AttemptKey& attempt) {
  for (const auto& lost : tracker.lost_attempts) {
    if (lost.key != attempt || !lost.blamed) continue;
    const auto found = job.losses.find({attempt.task.kind, attempt.task.index});
    if (found != job.losses.end() && --found->second == 0) job.losses.erase(found);
  }
}

}  // namespace weir
