#include "tracker/jobtracker/attempt_history.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/life_cycles.h"
#include "thrift/wire_job.h"

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
  }
  return "";
}

wire::AttemptInfo start_info(const ClusterState& state, const AttemptKey& attempt,
                             TrackerId where) {
  wire::AttemptInfo info;
  info.id = to_wire(attempt);
  info.name = attempt_name(attempt);
  info.launched_at_ms = 0;
  info.progress_millionths = 0;
  if (where.valid()) {
    const TrackerState& tracker = state.tracker(where);
    info.tracker = tracker.name;
    if (tracker.shuffle_port != 0) {
      info.__set_log_host(tracker.host);
      info.__set_log_port(tracker.shuffle_port);
    }
  }
  return info;
}

}  // namespace

AttemptHistory::End* AttemptHistory::find_or_add(const AttemptKey& attempt, bool must) {
  Ends& ends = jobs_[attempt.task.job];
  const auto found = ends.find(attempt);
  if (found != ends.end()) return &found->second;
  if (ends.size() >= kPerJob) {
    if (!must) return nullptr;
    ends.erase(ends.begin());
    --count_;
  }
  ++count_;
  End* end = &ends[attempt];
  while (count_ > kInAll && jobs_.begin()->first != attempt.task.job) forget(jobs_.begin()->first);
  return end;
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
    End* end = find_or_add(ended->attempt, ended->how == AttemptEnded::How::kFailed);
    if (end == nullptr) return;
    if (ended->how == AttemptEnded::How::kKilled) {
      const TrackerState& tracker = state.tracker(ended->tracker);
      // Lost, or lost and there again as another process.
      const bool gone = tracker.state == TrackerState::State::kLost || tracker.sequence == 0;
      end->diagnostics = !dead.empty() ? dead.mapped()
                         : gone        ? "tracker " + tracker.name + " " + tracker.lost_why
                                       : "its tracker did not run it any more";
    }
    if (ended->how == AttemptEnded::How::kSucceeded) end->diagnostics.clear();
    end->tracker = ended->tracker;
    end->how = ended->how;
    end->ended_at = event.at;
    end->speculative = ended->speculative;
    end->launched_at = event.at - ended->ran_ms;
  } else if (const auto* failed = fact_as<AttemptFailed>(event.fact)) {
    if (End* end = find_or_add(failed->attempt, true)) end->diagnostics = failed->diagnostics;
  }
}

std::vector<wire::AttemptInfo> AttemptHistory::list(const Engine& engine, const Job& job,
                                                    const WallClock& wall) const {
  const ClusterState& state = engine.state();
  std::vector<std::pair<AttemptKey, wire::AttemptInfo>> found;
  static const Ends kNone;
  const auto place = jobs_.find(job.id);
  const Ends& ends = place == jobs_.end() ? kNone : place->second;
  for (const auto& [attempt, end] : ends) {
    if (state.find_attempt(attempt).valid()) continue;  // lost with its tracker, but taken on again
    wire::AttemptInfo info = start_info(state, attempt, end.tracker);
    info.state = name(end.how);
    info.launched_at_ms = wall.at(end.launched_at);
    info.__set_ended_at_ms(wall.at(end.ended_at));
    info.__set_ran_ms(wall.at(end.ended_at) - wall.at(end.launched_at));
    if (end.speculative) info.__set_speculative(true);
    if (!end.diagnostics.empty()) info.__set_diagnostics(end.diagnostics);
    if (end.how == AttemptEnded::How::kSucceeded) info.progress_millionths = 1'000'000;
    found.emplace_back(attempt, std::move(info));
  }
  for (const TaskKind kind : kTaskKinds) {
    const std::vector<Task>& tasks = job.tasks(kind).tasks;
    for (std::uint32_t i = 0; i < tasks.size() && found.size() < kListed; ++i) {
      const Task& task = tasks[i];
      const TaskKey key{job.id, kind, i};
      state.each_attempt(task, [&](AttemptSlot slot) {
        const Attempt& attempt = state.attempt(slot);
        if (!attempt.live) return;
        wire::AttemptInfo info = start_info(state, attempt.key, attempt.tracker);
        info.state = name(attempt.state);
        info.launched_at_ms = wall.at(attempt.launched_at);
        info.__set_ran_ms(wall.at(engine.now()) - wall.at(attempt.launched_at));
        info.progress_millionths = attempt.progress_millionths;
        if (attempt.speculative) info.__set_speculative(true);
        const auto dying = to_die_.find(attempt.key);
        if (dying != to_die_.end()) info.__set_diagnostics(dying->second);
        found.emplace_back(attempt.key, std::move(info));
      });
      if (task.state == Task::State::kSucceeded) {
        const AttemptKey attempt{key, task.done_attempt};
        if (ends.count(attempt) != 0) continue;
        wire::AttemptInfo info = start_info(state, attempt, task.where);
        info.state = "SUCCEEDED";
        info.progress_millionths = 1'000'000;
        found.emplace_back(attempt, std::move(info));
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<wire::AttemptInfo> out;
  out.reserve(found.size());
  for (auto& [attempt, info] : found) out.push_back(std::move(info));
  return out;
}

}  // namespace weir
