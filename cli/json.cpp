#include "cli/json.h"

#include <algorithm>

#include "cli/tracker_commands.h"
#include "jobqueue/model/plain_text.h"

namespace weir::cli {
namespace {

Json counts(const wire::TaskCounts& tasks, std::int32_t progress_millionths) {
  Json json = {{"total", tasks.total},
               {"pending", tasks.pending},
               {"running", tasks.running},
               {"succeeded", tasks.succeeded},
               {"failed_attempts", tasks.failed_attempts},
               {"killed_attempts", tasks.killed_attempts},
               {"progress_millionths", progress_millionths}};
  if (tasks.__isset.copying) json["copying"] = tasks.copying;
  if (tasks.__isset.copied) json["copied"] = tasks.copied;
  if (tasks.__isset.speculative) {
    json["speculative"] = tasks.speculative;
    json["speculative_won"] = tasks.speculative_won;
  }
  return json;
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
          {"pending", slots.pending},
          {"maximum", optional(slots.__isset.maximum, slots.maximum)},
          {"share_thousandths", optional(slots.__isset.share_thousandths, slots.share_thousandths)},
          {"lends", optional(slots.__isset.lends, slots.lends)},
          {"borrows", optional(slots.__isset.borrows, slots.borrows)},
          {"copying", optional(slots.__isset.copying, slots.copying)}};
}

Json slot_time(bool is_set, const wire::SlotTime& time) {
  if (!is_set) return nullptr;
  return {{"used_ms", time.used_ms},
          {"lent_ms", time.lent_ms},
          {"borrowed_ms", time.borrowed_ms},
          {"lost_ms", time.lost_ms}};
}

Json user_json(const wire::UserFigures& user) {
  const auto& set = user.__isset;
  return {{"user", user.user},
          {"running_maps", user.running_maps},
          {"running_reduces", user.running_reduces},
          {"jobs", user.jobs},
          {"limit_maps", optional(set.limit_maps, user.limit_maps)},
          {"limit_reduces", optional(set.limit_reduces, user.limit_reduces)},
          {"jobs_waiting", optional(set.jobs_waiting, user.jobs_waiting)},
          {"jobs_pending", optional(set.jobs_pending, user.jobs_pending)},
          {"jobs_running", optional(set.jobs_running, user.jobs_running)},
          {"jobs_succeeded", optional(set.jobs_succeeded, user.jobs_succeeded)},
          {"jobs_failed", optional(set.jobs_failed, user.jobs_failed)},
          {"jobs_killed", optional(set.jobs_killed, user.jobs_killed)},
          {"used_map_slot_ms", optional(set.used_map_slot_ms, user.used_map_slot_ms)},
          {"used_reduce_slot_ms", optional(set.used_reduce_slot_ms, user.used_reduce_slot_ms)},
          {"lost_map_slot_ms", optional(set.lost_map_slot_ms, user.lost_map_slot_ms)},
          {"lost_reduce_slot_ms", optional(set.lost_reduce_slot_ms, user.lost_reduce_slot_ms)}};
}

Json claim_json(const wire::ClaimInfo& claim) {
  const auto& set = claim.__isset;
  return {{"kind", kind_name(claim.kind)},
          {"slots", claim.slots},
          {"milliseconds_left", claim.milliseconds_left},
          {"claim", optional(set.claim, claim.claim)},
          {"opened_at_ms", optional(set.opened_at_ms, claim.opened_at_ms)},
          {"deadline_ms", optional(set.deadline_ms, claim.deadline_ms)},
          {"overdue_ms", optional(set.overdue_ms, claim.overdue_ms)},
          {"state", optional(set.state, claim.state)},
          {"width", optional(set.width, claim.width)}};
}

Json hold_json(const wire::HoldInfo& hold) {
  return {{"kind", kind_name(hold.kind)},
          {"tracker", hold.tracker},
          {"slots", hold.slots},
          {"claim", hold.claim},
          {"dying", hold.dying}};
}

Json kill_json(const wire::KillInfo& kill) {
  return {{"at_ms", kill.at_ms},       {"claim", kill.claim},
          {"claimant", kill.claimant}, {"owed_ms", kill.owed_ms},
          {"victim", kill.victim},     {"user", kill.user},
          {"job", kill.job_name},      {"attempt", kill.attempt},
          {"tracker", kill.tracker},   {"slots", kill.slots},
          {"ran_ms", kill.ran_ms},     {"lost_slot_ms", kill.slots * kill.ran_ms},
          {"outcome", kill.outcome}};
}

template <class Item>
Json json_list(const std::vector<Item>& items, Json (*one)(const Item&)) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(one(item));
  return list;
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
          {"now_ms", optional(job.__isset.now_ms, job.now_ms)},
          {"reason", optional(job.__isset.reason, job.reason)},
          {"pool", optional(job.__isset.pool, job.pool)},
          {"time_limit_ms", optional(job.__isset.time_limit_ms, job.time_limit_ms)},
          {"deadline_ms", optional(job.__isset.deadline_ms, job.deadline_ms)},
          {"output", job.output},
          {"diagnostics", optional(job.__isset.diagnostics, job.diagnostics)},
          {"counters", optional(job.__isset.counters, job.counters)},
          {"status", optional(job.__isset.status, job.status)},
          {"from_history", job.__isset.from_history && job.from_history}};
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
          {"speculative", attempt.__isset.speculative && attempt.speculative},
          {"launched_at_ms", attempt.launched_at_ms},
          {"ran_ms", optional(attempt.__isset.ran_ms, attempt.ran_ms)},
          {"ended_at_ms", optional(attempt.__isset.ended_at_ms, attempt.ended_at_ms)},
          {"diagnostics", optional(attempt.__isset.diagnostics, attempt.diagnostics)},
          {"log_host", optional(attempt.__isset.log_host, attempt.log_host)},
          {"log_port", optional(attempt.__isset.log_port, attempt.log_port)}};
}

Json to_json(const wire::QueueStatus& queue) {
  const auto& set = queue.__isset;
  return {{"name", queue.name},
          {"leaf", queue.leaf},
          {"state", queue.state},
          {"guaranteed", queue.guaranteed},
          {"maps", figures(queue.maps)},
          {"reduces", figures(queue.reduces)},
          {"jobs_waiting", queue.jobs_waiting},
          {"jobs_pending", queue.jobs_pending},
          {"jobs_running", queue.jobs_running},
          {"jobs_succeeded", queue.jobs_succeeded},
          {"jobs_failed", queue.jobs_failed},
          {"jobs_killed", queue.jobs_killed},
          {"users", json_list(queue.users, user_json)},
          {"claims", json_list(queue.claims, claim_json)},
          {"submit", optional(queue.__isset.submit, queue.submit)},
          {"administer", optional(queue.__isset.administer, queue.administer)},
          {"map_slot_time", slot_time(set.map_time, queue.map_time)},
          {"reduce_slot_time", slot_time(set.reduce_time, queue.reduce_time)},
          {"holds", json_list(queue.holds, hold_json)},
          {"kills", json_list(queue.kills, kill_json)},
          {"reclaim_after_map_ms", optional(set.reclaim_after_map_ms, queue.reclaim_after_map_ms)},
          {"reclaim_after_reduce_ms",
           optional(set.reclaim_after_reduce_ms, queue.reclaim_after_reduce_ms)},
          {"kill_budget", optional(set.kill_budget, queue.kill_budget)},
          {"priorities", optional(set.priorities, queue.priorities)}};
}

Json to_json(const wire::TrackerStatus& tracker) {
  return {{"name", tracker.name},
          {"state", tracker.state},
          {"host", tracker.host},
          {"rack", tracker.rack},
          {"shuffle_port", tracker.shuffle_port},
          {"total", resources(tracker.total)},
          {"used", resources(tracker.used)},
          {"last_heartbeat_ms_ago", optional(is_back(tracker), tracker.last_heartbeat_ms_ago)},
          {"free_disk_mb", optional(tracker.__isset.free_disk_mb, tracker.free_disk_mb)},
          {"copying", optional(tracker.__isset.copying, tracker.copying)},
          {"copied", optional(tracker.__isset.copied, tracker.copied)},
          {"health", optional(tracker.__isset.health, tracker.health)},
          {"protections", tracker.protections},
          {"attempts", tracker.attempts},
          {"order", optional(tracker.__isset.order, tracker.order)},
          {"ordered_by", optional(tracker.__isset.ordered_by, tracker.ordered_by)},
          {"order_reason", optional(tracker.__isset.order_reason, tracker.order_reason)},
          {"ordered_at_ms", optional(tracker.__isset.ordered_at_ms, tracker.ordered_at_ms)},
          {"outputs", optional(tracker.__isset.outputs, tracker.outputs)},
          {"outputs_for", optional(tracker.__isset.outputs_for, tracker.outputs_for)},
          {"faults", tracker.faults},
          {"back_at_ms", optional(tracker.__isset.back_at_ms, tracker.back_at_ms)},
          {"lost_why", optional(tracker.__isset.lost_why, tracker.lost_why)}};
}

namespace {

Json share_figures(const wire::ShareFigures& of) {
  Json json = {{"running", of.running}, {"pending", of.pending}};
  if (of.__isset.guaranteed) json["guaranteed"] = of.guaranteed;
  if (of.__isset.allocated) json["allocated"] = of.allocated;
  if (of.__isset.share_thousandths) {
    json["share"] = static_cast<double>(of.share_thousandths) / 1000;
  }
  if (of.__isset.min_share) json["min_share"] = of.min_share;
  if (of.__isset.maximum) json["maximum"] = of.maximum;
  if (of.__isset.copying) json["copying"] = of.copying;
  if (of.__isset.unmet) json["unmet"] = of.unmet;
  return json;
}

Json outlooks(const std::vector<wire::PolicyOutlook>& list) {
  Json json = Json::array();
  for (const auto& outlook : list) {
    Json shares = Json::array();
    for (const auto& share : outlook.shares) {
      shares.push_back({{"name", share.name},
                        {"maps", share_figures(share.maps)},
                        {"reduces", share_figures(share.reduces)}});
    }
    json.push_back({{"policy", outlook.policy},
                    {"of", outlook.pools ? "pools" : "queues"},
                    {"shares", std::move(shares)}});
  }
  return json;
}

}  // namespace

Json to_json(const wire::PolicyInfo& policy) {
  return {{"current", policy.current},
          {"available", policy.available},
          {"since_ms", policy.since_ms},
          {"notices", policy.__isset.notices ? Json(policy.notices) : Json::array()},
          {"outlooks", policy.__isset.outlooks ? outlooks(policy.outlooks) : Json::array()}};
}

Json to_json(const wire::SettingsRecord& record) {
  return {{"number", record.number},
          {"at_ms", record.at_ms},
          {"by", record.by},
          {"policy", record.policy},
          {"source", record.source}};
}

Json to_json(const wire::Setting& setting) {
  return {{"name", setting.name}, {"value", setting.value}, {"origin", setting.origin}};
}

Json to_json(const wire::SettingsDiff& diff) {
  Json queues = Json::array();
  for (const auto& queue : diff.queues) {
    const auto& set = queue.__isset;
    queues.push_back(
        {{"queue", queue.queue},
         {"change", queue.change},
         {"maps_before", queue.maps_before},
         {"maps_after", queue.maps_after},
         {"reduces_before", queue.reduces_before},
         {"reduces_after", queue.reduces_after},
         {"maps_maximum_before", optional(set.maps_maximum_before, queue.maps_maximum_before)},
         {"maps_maximum_after", optional(set.maps_maximum_after, queue.maps_maximum_after)},
         {"reduces_maximum_before",
          optional(set.reduces_maximum_before, queue.reduces_maximum_before)},
         {"reduces_maximum_after",
          optional(set.reduces_maximum_after, queue.reduces_maximum_after)},
         {"jobs", optional(set.jobs, queue.jobs)},
         {"moves_to", optional(set.moves_to, queue.moves_to)}});
  }
  return {{"queues", queues},
          {"changes", diff.changes},
          {"warnings", diff.warnings},
          {"refusals", diff.refusals},
          {"at_restart", diff.at_restart},
          {"map_slots", optional(diff.__isset.map_slots, diff.map_slots)},
          {"reduce_slots", optional(diff.__isset.reduce_slots, diff.reduce_slots)}};
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
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  // What a terminal would obey instead of showing; a newline is the only such outside of strings.
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(rest), 1);
    const std::string_view sequence = rest.substr(0, length);
    const char32_t character = code_point(sequence);
    if (is_hidden(character) && character != '\n') {
      out << json_escape(character);
    } else {
      out << sequence;
    }
    rest.remove_prefix(length);
  }
  out << "\n";
}

}  // namespace weir::cli
