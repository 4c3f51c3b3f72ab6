#include "tracker/published/attempt_history.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/life_cycles.h"

namespace weir {
namespace {

const char* name(AttemptEnded::How how) {
  switch (how) {
    case AttemptEnded::How::kSucceeded:
      return "SUCCEEDED";
    case AttemptEnded::How::kFailed:
      return "FAILED";
    case AttemptEnded::How::kKilled:
      return "KILLED";
  }
  return "";
}

// Why an attempt is killed, for people.
std::string reason_of(const KillOrdered& kill, const ClusterState& state) {
  const bool known = kill.for_queue.valid() && kill.for_queue.index() < state.tree().size();
  switch (kill.reason) {
    case KillReason::kReclaim:
      return "preempted for queue " + (known ? state.tree().node(kill.for_queue).path : "?");
    case KillReason::kMinShare:
    case KillReason::kFairShare:
      return "preempted for pool " + kill.for_pool;
    case KillReason::kJobKilled: {
      const Job* job = state.find_job(kill.attempt.task.job);
      return job == nullptr || job->diagnostics.empty() ? "job killed" : "job " + job->diagnostics;
    }
    case KillReason::kSpeculative:
      return "another attempt of the task was done first";
    case KillReason::kTrackerLost:
      return "tracker " + state.tracker(kill.tracker).name + " " +
             state.tracker(kill.tracker).lost_why;
    case KillReason::kJobFailed:
      return "another task has failed the job";
    case KillReason::kUnknown:
      return "it was not to run any more";
    case KillReason::kNoRoom:
      return "its tracker has no longer as many slots as it needs";
    case KillReason::kTrackerStopped:
      return "tracker " + state.tracker(kill.tracker).name + " is being stopped";
    case KillReason::kGang:
      return "a member of its gang was lost: all of it starts again";
    case KillReason::kTimeLimit:
      return "it ran for as long as its group may";
    case KillReason::kOwnMaps:
      return "it stood in the way of the maps that it waited for";
  }
  return "";
}

AttemptView start_info(const ClusterState& state, const AttemptKey& attempt, TrackerId where) {
  AttemptView info;
  info.id = attempt;
  if (where.valid()) {
    const TrackerState& tracker = state.tracker(where);
    info.tracker = tracker.name;
    if (tracker.shuffle_port != 0) {
      info.log_host = tracker.host;
      info.log_port = tracker.shuffle_port;
    }
  }
  return info;
}

}  // namespace

// Null: there is no room, except for one that failed.
AttemptHistory::End* AttemptHistory::place_for(const AttemptKey& attempt, bool failed) {
  Ends& ends = jobs_[attempt.task.job];
  if (failed && !ends.empty() && ends.back().attempt == attempt) return &ends.back();
  if (ends.size() >= kPerJob) {
    if (!failed) return nullptr;
    ends.pop_front();
    --count_;
  }
  ++count_;
  End* end = &ends.emplace_back();
  end->attempt = attempt;
  while (count_ > kInAll && jobs_.begin()->first != attempt.task.job) forget(jobs_.begin()->first);
  return end;
}

// By task and attempt.
std::vector<const AttemptHistory::End*> AttemptHistory::latest_of(JobId job) const {
  std::vector<const End*> out;
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return out;
  for (auto end = found->second.rbegin(); end != found->second.rend(); ++end) out.push_back(&*end);
  std::stable_sort(out.begin(), out.end(),
                   [](const End* a, const End* b) { return a->attempt < b->attempt; });
  const auto repeated = std::unique(
      out.begin(), out.end(), [](const End* a, const End* b) { return a->attempt == b->attempt; });
  out.erase(repeated, out.end());
  return out;
}

void AttemptHistory::forget(JobId job) {
  std::erase_if(to_die_, [&](const auto& entry) { return entry.first.task.job == job; });
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  count_ -= found->second.size();
  jobs_.erase(found);
}

void AttemptHistory::on(const Event& event, const ClusterState& state) {
  if (const auto* kill = fact_as<KillOrdered>(event.fact)) {
    to_die_[kill->attempt] = reason_of(*kill, state);
  } else if (const auto* ended = fact_as<AttemptEnded>(event.fact)) {
    const auto dead = to_die_.extract(ended->attempt);
    End* end = place_for(ended->attempt, ended->how == AttemptEnded::How::kFailed);
    if (end == nullptr) return;
    if (ended->how == AttemptEnded::How::kKilled) {
      const TrackerState& tracker = state.tracker(ended->tracker);
      // Lost, or lost and there again as another process.
      const bool gone = tracker.state == TrackerState::State::kLost || tracker.sequence == 0;
      end->diagnostics = !dead.empty() ? dead.mapped()
                         : gone        ? "tracker " + tracker.name + " " + tracker.lost_why
                                       : "its tracker did not run it any more";
    }
    end->tracker = ended->tracker;
    end->how = ended->how;
    end->speculative = ended->speculative;
    end->launched_at = ended->launched_at;
    end->ran_ms = ended->ran_ms;
  } else if (const auto* failed = fact_as<AttemptFailed>(event.fact)) {
    place_for(failed->attempt, true)->diagnostics = failed->diagnostics;
  }
}

AttemptView AttemptHistory::live(const Engine& engine, const Attempt& attempt,
                                 const WallClock& wall) const {
  AttemptView info = start_info(engine.state(), attempt.key, attempt.tracker);
  info.state = name(attempt.state);
  info.launched_at_ms = wall.at(attempt.launched_at);
  info.ran_ms = wall.at(engine.now()) - wall.at(attempt.launched_at);
  info.progress_millionths = attempt.progress_millionths;
  info.speculative = attempt.speculative;
  const auto dying = to_die_.find(attempt.key);
  if (dying != to_die_.end()) info.diagnostics = dying->second;
  return info;
}

std::vector<AttemptView> AttemptHistory::list(const Engine& engine, const Job& job,
                                              const WallClock& wall) const {
  const ClusterState& state = engine.state();
  std::vector<AttemptView> found;
  const std::vector<const End*> ends = latest_of(job.id);
  const auto has_ended = [&ends](const AttemptKey& attempt) {
    const auto at = std::lower_bound(
        ends.begin(), ends.end(), attempt,
        [](const End* end, const AttemptKey& key) { return end->attempt < key; });
    return at != ends.end() && (*at)->attempt == attempt;
  };
  for (const End* each : ends) {
    const End& end = *each;
    // Lost with its tracker, but taken on again.
    if (state.find_attempt(end.attempt).valid()) continue;
    AttemptView info = start_info(state, end.attempt, end.tracker);
    info.state = name(end.how);
    info.launched_at_ms = wall.at(end.launched_at);
    info.ended_at_ms = info.launched_at_ms + end.ran_ms;
    info.ran_ms = end.ran_ms;
    info.speculative = end.speculative;
    if (!end.diagnostics.empty()) info.diagnostics = end.diagnostics;
    if (end.how == AttemptEnded::How::kSucceeded) info.progress_millionths = 1'000'000;
    found.push_back(std::move(info));
  }
  for (const TaskKind kind : job.kinds()) {
    const std::vector<Task>& tasks = job.tasks(kind).tasks;
    for (std::uint32_t i = 0; i < tasks.size() && found.size() < kListed; ++i) {
      const Task& task = tasks[i];
      const TaskKey key{job.id, kind, i};
      state.each_attempt(task, [&](AttemptSlot slot) {
        const Attempt& attempt = state.attempt(slot);
        if (!attempt.live) return;
        found.push_back(live(engine, attempt, wall));
      });
      if (task.state == Task::State::kSucceeded) {
        const AttemptKey attempt{key, task.done_attempt};
        if (has_ended(attempt)) continue;
        AttemptView info = start_info(state, attempt, task.where);
        info.state = "SUCCEEDED";
        info.progress_millionths = 1'000'000;
        found.push_back(std::move(info));
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const AttemptView& a, const AttemptView& b) { return a.id < b.id; });
  return found;
}

std::vector<AttemptView> AttemptHistory::list(const Engine& engine, const TrackerState& tracker,
                                              const WallClock& wall) const {
  std::vector<AttemptView> found;
  for (const AttemptSlot slot : tracker.attempts) {
    if (found.size() == kListed) break;
    found.push_back(live(engine, engine.state().attempt(slot), wall));
  }
  std::sort(found.begin(), found.end(),
            [](const AttemptView& a, const AttemptView& b) { return a.id < b.id; });
  return found;
}

}  // namespace weir
