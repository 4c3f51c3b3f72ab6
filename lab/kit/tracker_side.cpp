#include "lab/kit/tracker_side.h"

namespace weir {

std::vector<TaskKey> TrackerSide::obey(const HeartbeatReply& reply) {
  for (const AttemptKey& done : reply.acknowledged) held.erase(done);
  for (const AttemptKey& doomed : reply.kill) {
    const auto found = held.find(doomed);
    if (found == held.end()) continue;
    if (found->second.state <= ReportedState::kCommitPending) {
      found->second.state = ReportedState::kKilled;
    }
  }
  for (const AttemptKey& granted : reply.commit) {
    const auto found = held.find(granted);
    if (found == held.end()) continue;
    if (found->second.state == ReportedState::kCommitPending) {
      found->second.state = ReportedState::kSucceeded;
    }
  }
  for (const AttemptKey& may : reply.compute_granted) {
    const auto found = held.find(may);
    if (found == held.end()) continue;
    found->second.compute_granted = true;
    found->second.phase = TaskPhase::kReduce;
  }
  std::vector<TaskKey> launched;
  for (const Launch& launch : reply.launch) {
    AttemptReport report;
    report.attempt = launch.attempt;
    report.compute_granted = launch.compute_granted;
    if (!launch.compute_granted) report.phase = TaskPhase::kShuffle;
    if (held.emplace(launch.attempt, report).second) launched.push_back(launch.attempt.task);
  }
  for (const Duty& duty : reply.duties) duties.push_back({duty.job, true, "", {}});
  return launched;
}

ReportedState state_when_done(const Job* job, const TaskKey& task) {
  const bool publishes = !is_group(task.kind) && (task.kind == TaskKind::kReduce ||
                                                  (job != nullptr && job->spec->reduces == 0));
  return publishes ? ReportedState::kCommitPending : ReportedState::kSucceeded;
}

}  // namespace weir
