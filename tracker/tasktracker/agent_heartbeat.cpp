// How AgentCore puts a heartbeat together within the frame's limit: every attempt is always in it,
// since one that is missing is taken as lost; what does not fit is the optional part, for finished
// attempts last. A finished attempt whose full report does not fit is reported as still running and
// finishes in a later beat, so nothing is lost.
#include <algorithm>

#include "tracker/tasktracker/agent_core.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kShortStatusBytes = 96;
constexpr std::int64_t kCountersEvery = 8;  // beats

std::size_t optional_bytes(const AttemptReport& status) {
  std::size_t bytes =
      status.status.size() + status.diagnostics.size() + status.fetch_failures.size() * 16 + 32;
  if (status.ports) bytes += 8 + 4 * status.ports->size();
  if (!status.counters) return bytes;
  for (const auto& [group, names] : *status.counters) {
    bytes += group.size() + 16;
    for (const auto& [name, value] : names) bytes += name.size() + 12;
  }
  return bytes;
}

AttemptReport short_form(AttemptReport report) {
  report.status.clear();
  report.diagnostics.clear();
  report.counters = nullptr;
  report.fetch_failures.clear();
  report.ports = nullptr;
  report.finished_at_ms = 0;
  return report;
}

bool finished(const AttemptReport& status) {
  return status.state != ReportedState::kRunning &&
         status.state != ReportedState::kCommitPending;
}

}  // namespace

std::vector<AttemptReport> AgentCore::build_reports(Now now) const {
  std::vector<const Attempt*> order;
  for (const auto& [key, attempt] : attempts_) order.push_back(&attempt);
  std::stable_partition(order.begin(), order.end(),
                        [](const Attempt* attempt) { return finished(attempt->status); });
  std::size_t room =
      limits_.heartbeat_bytes - std::min(limits_.heartbeat_bytes, order.size() * kShortStatusBytes);
  std::vector<AttemptReport> reports;
  for (const Attempt* attempt : order) {
    AttemptReport full = attempt->status;
    full.age_ms = now.steady_ms - attempt->launched_ms;
    const bool ended = finished(full);
    if (!ended && sequence_ % kCountersEvery != 0) full.counters = nullptr;
    const std::size_t bytes = optional_bytes(full);
    if (bytes <= room) {
      room -= bytes;
      reports.push_back(std::move(full));
      continue;
    }
    reports.push_back(short_form(std::move(full)));
    if (ended) reports.back().state = ReportedState::kRunning;
  }
  return reports;
}

// Where more are held than a heartbeat lists, each has its turn.
std::vector<JobId> AgentCore::next_held_jobs() {
  std::vector<JobId> held;
  auto at = jobs_.size() > limits_.held_jobs_a_heartbeat ? jobs_.upper_bound(last_held_)
                                                         : jobs_.begin();
  while (held.size() < std::min(jobs_.size(), limits_.held_jobs_a_heartbeat)) {
    if (at == jobs_.end()) at = jobs_.begin();
    held.push_back(at++->first);
  }
  if (!held.empty()) last_held_ = held.back();
  return held;
}

Heartbeat AgentCore::build_heartbeat(Now now) {
  Heartbeat heartbeat;
  heartbeat.name = registration_.name;
  heartbeat.incarnation = registration_.incarnation;
  heartbeat.key = registration_.key;
  heartbeat.sequence = registration_.reported = ++sequence_;
  heartbeat.attempts = build_reports(now);
  // What was held back for want of room goes with the next beat, soon.
  for (const AttemptReport& sent : heartbeat.attempts) {
    if (const Attempt* attempt = find(sent.attempt);
        attempt && finished(attempt->status) && !finished(sent))
      urgent_ = true;
  }
  heartbeat.total = registration_.total;
  heartbeat.load_millionths = load_millionths_;
  if (free_disk_mb_ != INT64_MAX) heartbeat.free_disk_mb = free_disk_mb_;
  heartbeat.low_disk = free_disk_mb_ < limits_.min_free_disk_mb;
  heartbeat.accepts_tasks = !heartbeat.low_disk;
  if (heartbeat.low_disk) {
    heartbeat.health = "free disk " + std::to_string(free_disk_mb_) +
                       " MB is below the minimum of " + std::to_string(limits_.min_free_disk_mb) +
                       " MB";
  }
  heartbeat.held_jobs = next_held_jobs();
  for (const auto& [id, duty] : duties_) {
    if (duty.report) heartbeat.duties.push_back(*duty.report);
  }
  if (!leaving_.empty()) heartbeat.leaving = goodbye_sent_ = true;
  return heartbeat;
}

}  // namespace weir::tasktracker
