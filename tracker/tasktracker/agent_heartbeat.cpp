// How AgentCore puts a heartbeat together within the frame's limit: every attempt is always in it,
// since one that is missing is taken as lost; what does not fit is the optional part, for finished
// attempts last. A finished attempt whose full report does not fit is reported as still running and
// finishes in a later beat, so nothing is lost.
#include <algorithm>

#include "tracker/tasktracker/agent_core.h"
#include "tracker/tasktracker/attempt_id.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kShortStatusBytes = 96;
constexpr std::int64_t kCountersEvery = 8;  // beats

std::size_t optional_bytes(const wire::AttemptStatus& status) {
  std::size_t bytes =
      status.status.size() + status.diagnostics.size() + status.fetch_failures.size() * 16 + 32;
  for (const auto& [group, names] : status.counters) {
    bytes += group.size() + 16;
    for (const auto& [name, value] : names) bytes += name.size() + 12;
  }
  return bytes;
}

wire::AttemptStatus short_form(const wire::AttemptStatus& status) {
  wire::AttemptStatus brief;
  brief.__set_id(status.id);
  brief.__set_state(status.state);
  brief.__set_progress_millionths(status.progress_millionths);
  brief.__set_phase(status.phase);
  brief.__set_started_at_ms(status.started_at_ms);
  brief.__set_age_ms(status.age_ms);
  if (status.__isset.compute_granted) brief.__set_compute_granted(status.compute_granted);
  return brief;
}

bool finished(const wire::AttemptStatus& status) {
  return status.state != wire::AttemptState::RUNNING &&
         status.state != wire::AttemptState::COMMIT_PENDING;
}

}  // namespace

std::vector<wire::AttemptStatus> AgentCore::build_statuses(Now now) const {
  std::vector<const Attempt*> order;
  for (const auto& [key, attempt] : attempts_) order.push_back(&attempt);
  std::stable_partition(order.begin(), order.end(),
                        [](const Attempt* attempt) { return finished(attempt->status); });
  std::size_t room =
      limits_.heartbeat_bytes - std::min(limits_.heartbeat_bytes, order.size() * kShortStatusBytes);
  std::vector<wire::AttemptStatus> statuses;
  for (const Attempt* attempt : order) {
    wire::AttemptStatus full = attempt->status;
    full.__set_age_ms(now.steady_ms - attempt->launched_ms);
    const bool ended = finished(full);
    if (!ended && sequence_ % kCountersEvery != 0) {
      full.counters.clear();
      full.__isset.counters = false;
    }
    const std::size_t bytes = optional_bytes(full);
    if (bytes <= room) {
      room -= bytes;
      statuses.push_back(std::move(full));
      continue;
    }
    statuses.push_back(short_form(full));
    if (ended) statuses.back().__set_state(wire::AttemptState::RUNNING);
  }
  return statuses;
}

wire::Heartbeat AgentCore::build_heartbeat(Now now) {
  wire::Heartbeat heartbeat;
  heartbeat.__set_name(registration_.name);
  heartbeat.__set_incarnation(registration_.incarnation);
  heartbeat.__set_sequence(++sequence_);
  heartbeat.__set_attempts(build_statuses(now));
  // What was held back for want of room goes with the next beat, soon.
  for (const wire::AttemptStatus& sent : heartbeat.attempts) {
    if (const Attempt* attempt = find(sent.id);
        attempt && finished(attempt->status) && !finished(sent))
      urgent_ = true;
  }
  heartbeat.__set_total(registration_.total);
  heartbeat.__set_load_millionths(load_millionths_);
  if (free_disk_mb_ != INT64_MAX) heartbeat.__set_free_disk_mb(free_disk_mb_);
  const bool low_disk = free_disk_mb_ < limits_.min_free_disk_mb;
  heartbeat.__set_accepts_tasks(!low_disk);
  if (low_disk) {
    heartbeat.__set_low_disk(true);
    heartbeat.__set_health("free disk " + std::to_string(free_disk_mb_) +
                           " MB is below the minimum of " +
                           std::to_string(limits_.min_free_disk_mb) + " MB");
  }
  std::vector<std::int64_t> held;
  for (const auto& [id, job] : jobs_) held.push_back(id.value);
  heartbeat.__set_held_jobs(held);
  std::vector<wire::DutyReport> duties;
  for (const auto& [id, duty] : duties_) {
    if (duty.report) duties.push_back(*duty.report);
  }
  heartbeat.__set_duties(duties);
  if (!leaving_.empty()) heartbeat.__set_leaving(goodbye_sent_ = true);
  return heartbeat;
}

}  // namespace weir::tasktracker
