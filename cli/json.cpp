#include "cli/json.h"

namespace weir::cli {
namespace {

Json counts(const wire::TaskCounts& tasks, std::int32_t progress_millionths) {
  return {{"total", tasks.total},
          {"pending", tasks.pending},
          {"running", tasks.running},
          {"succeeded", tasks.succeeded},
          {"failed_attempts", tasks.failed_attempts},
          {"killed_attempts", tasks.killed_attempts},
          {"progress_millionths", progress_millionths}};
}

template <class T>
Json optional(bool is_set, const T& value) {
  return is_set ? Json(value) : Json(nullptr);
}

const char* kind_name(wire::TaskKind::type kind) {
  return kind == wire::TaskKind::MAP ? "map" : "reduce";
}

Json figures(const wire::SlotFigures& slots) {
  return {{"guaranteed", slots.guaranteed},
          {"allocated", slots.allocated},
          {"running", slots.running},
          {"pending", slots.pending}};
}

Json resources(const wire::Resources& amount) {
  return {{"map_slots", amount.map_slots},
          {"reduce_slots", amount.reduce_slots},
          {"memory_mb", amount.memory_mb},
          {"vcores", amount.vcores}};
}

}  // namespace

Json to_json(const wire::JobStatus& job) {
  return {{"job", job.job_name},
          {"number", job.job},
          {"name", job.name},
          {"user", job.user},
          {"queue", job.queue},
          {"priority", job.priority},
          {"state", job.state},
          {"maps", counts(job.maps, job.map_progress_millionths)},
          {"reduces", counts(job.reduces, job.reduce_progress_millionths)},
          {"submitted_at_ms", job.submitted_at_ms},
          {"started_at_ms", optional(job.__isset.started_at_ms, job.started_at_ms)},
          {"finished_at_ms", optional(job.__isset.finished_at_ms, job.finished_at_ms)},
          {"output", job.output},
          {"diagnostics", optional(job.__isset.diagnostics, job.diagnostics)},
          {"counters", optional(job.__isset.counters, job.counters)},
          {"status", optional(job.__isset.status, job.status)}};
}

Json to_json(const wire::JobExplanation& explanation) {
  Json reasons = Json::array();
  for (const auto& reason : explanation.reasons) {
    reasons.push_back(
        {{"code", reason.code},
         {"message", reason.message},
         {"numbers", reason.__isset.numbers ? Json(reason.numbers) : Json::object()}});
  }
  return {{"job", explanation.status.job_name},
          {"number", explanation.status.job},
          {"reasons", reasons},
          {"status", to_json(explanation.status)}};
}

Json to_json(const wire::AttemptInfo& attempt) {
  return {{"attempt", attempt.name},
          {"job_number", attempt.id.job},
          {"kind", kind_name(attempt.id.kind)},
          {"index", attempt.id.index},
          {"number", attempt.id.attempt},
          {"state", attempt.state},
          {"tracker", attempt.tracker},
          {"progress_millionths", attempt.progress_millionths},
          {"launched_at_ms", attempt.launched_at_ms},
          {"ended_at_ms", optional(attempt.__isset.ended_at_ms, attempt.ended_at_ms)},
          {"diagnostics", optional(attempt.__isset.diagnostics, attempt.diagnostics)},
          {"log_host", optional(attempt.__isset.log_host, attempt.log_host)},
          {"log_port", optional(attempt.__isset.log_port, attempt.log_port)}};
}

Json to_json(const wire::QueueStatus& queue) {
  Json users = Json::array();
  for (const auto& user : queue.users) {
    users.push_back({{"user", user.user},
                     {"running_maps", user.running_maps},
                     {"running_reduces", user.running_reduces},
                     {"jobs", user.jobs}});
  }
  Json claims = Json::array();
  for (const auto& claim : queue.claims) {
    claims.push_back({{"kind", kind_name(claim.kind)},
                      {"slots", claim.slots},
                      {"milliseconds_left", claim.milliseconds_left}});
  }
  return {{"name", queue.name},
          {"leaf", queue.leaf},
          {"state", queue.state},
          {"guaranteed", queue.guaranteed},
          {"maps", figures(queue.maps)},
          {"reduces", figures(queue.reduces)},
          {"jobs_waiting", queue.jobs_waiting},
          {"jobs_running", queue.jobs_running},
          {"jobs_succeeded", queue.jobs_succeeded},
          {"jobs_failed", queue.jobs_failed},
          {"jobs_killed", queue.jobs_killed},
          {"users", users},
          {"claims", claims},
          {"submit", optional(queue.__isset.submit, queue.submit)},
          {"administer", optional(queue.__isset.administer, queue.administer)}};
}

Json to_json(const wire::TrackerStatus& tracker) {
  return {{"name", tracker.name},
          {"state", tracker.state},
          {"host", tracker.host},
          {"rack", tracker.rack},
          {"shuffle_port", tracker.shuffle_port},
          {"total", resources(tracker.total)},
          {"used", resources(tracker.used)},
          {"last_heartbeat_ms_ago", tracker.last_heartbeat_ms_ago},
          {"free_disk_mb", optional(tracker.__isset.free_disk_mb, tracker.free_disk_mb)},
          {"health", optional(tracker.__isset.health, tracker.health)}};
}

Json to_json(const wire::PolicyInfo& policy) {
  return {{"current", policy.current},
          {"available", policy.available},
          {"since_ms", policy.since_ms},
          {"notices", policy.__isset.notices ? Json(policy.notices) : Json::array()}};
}

Json to_json(const wire::SettingsDiff& diff) {
  Json queues = Json::array();
  for (const auto& queue : diff.queues) {
    queues.push_back({{"queue", queue.queue},
                      {"change", queue.change},
                      {"maps_before", queue.maps_before},
                      {"maps_after", queue.maps_after},
                      {"reduces_before", queue.reduces_before},
                      {"reduces_after", queue.reduces_after}});
  }
  return {{"queues", queues}, {"changes", diff.changes}, {"warnings", diff.warnings}};
}

Json to_json(const wire::ServerInfo& server) {
  return {{"version", server.version},
          {"started_at_ms", server.started_at_ms},
          {"now_ms", server.now_ms},
          {"trackers", server.trackers},
          {"jobs_unfinished", server.jobs_unfinished},
          {"frames_refused", server.frames_refused},
          {"store", server.store},
          {"store_error", optional(server.__isset.store_error, server.store_error)},
          {"tracker_port", server.tracker_port},
          {"client_port", server.client_port}};
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace weir::cli
