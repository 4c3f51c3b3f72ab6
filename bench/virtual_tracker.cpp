#include "bench/virtual_tracker.h"

#include <algorithm>

namespace weir::bench {

VirtualTracker::VirtualTracker(const std::string& name, const std::string& rack, Resources total) {
  registration_.name = name;
  registration_.incarnation = 1;
  registration_.host = name + ".bench";
  registration_.shuffle_port = 1;
  registration_.total = total;
  registration_.rack = rack;
  Heartbeat report;
  report.name = name;
  report.incarnation = registration_.incarnation;
  input_.body = std::move(report);
}

void VirtualTracker::end_oldest(TaskKind kind, std::uint32_t count, ReportedState how,
                                bool publishes) {
  const bool asks = how == ReportedState::kSucceeded && publishes;
  for (AttemptReport& attempt : heartbeat().attempts) {
    if (count == 0) return;
    if (attempt.state != ReportedState::kRunning || attempt.attempt.task.kind != kind) continue;
    attempt.state = asks ? ReportedState::kCommitPending : how;
    --count;
  }
}

Input& VirtualTracker::report() {
  ++heartbeat().sequence;
  return input_;
}

AttemptReport* VirtualTracker::find(const AttemptKey& key) {
  auto& attempts = heartbeat().attempts;
  const auto found = std::find_if(attempts.begin(), attempts.end(),
                                  [&](const AttemptReport& a) { return a.attempt == key; });
  return found == attempts.end() ? nullptr : &*found;
}

VirtualTracker::Obeyed VirtualTracker::obey(const HeartbeatReply& reply) {
  Obeyed obeyed;
  auto& attempts = heartbeat().attempts;
  std::erase_if(attempts, [&](const AttemptReport& a) {
    return std::find(reply.acknowledged.begin(), reply.acknowledged.end(), a.attempt) !=
           reply.acknowledged.end();
  });
  const auto set = [&](const AttemptKey& key, ReportedState state) {
    AttemptReport* held = find(key);
    if (held == nullptr || held->state > ReportedState::kCommitPending) return;
    held->state = state;
    obeyed.has_news = true;
  };
  for (const AttemptKey& key : reply.kill) set(key, ReportedState::kKilled);
  for (const AttemptKey& key : reply.commit) set(key, ReportedState::kSucceeded);
  for (const Launch& launch : reply.launch) {
    if (find(launch.attempt) != nullptr) continue;
    attempts.emplace_back().attempt = launch.attempt;
    ++obeyed.launches;
  }
  heartbeat().duties.clear();
  for (const Duty& duty : reply.duties) {
    heartbeat().duties.push_back({duty.job, true, "", duty.succeed});
  }
  return obeyed;
}

}  // namespace weir::bench
