// Queues: figures, users, claims, held slots, kills.
#include "views/json/json.h"
#include "views/json/or_null.h"

namespace weir {

Json amounts_json(const std::vector<Amount>& amounts) {
  if (amounts.empty()) return nullptr;
  Json by_dimension;
  for (const Amount& each : amounts) by_dimension[each.dimension] = each.amount;
  return by_dimension;
}

namespace {

Json slots_json(const QueueView::Slots& slots) {
  return {{"guaranteed", slots.guaranteed},
          {"allocated", slots.allocated},
          {"running", slots.running},
          {"pending", slots.pending},
          {"maximum", or_null(slots.maximum)},
          {"share_thousandths", or_null(slots.share_thousandths)},
          {"lends", or_null(slots.lends)},
          {"borrows", or_null(slots.borrows)},
          {"copying", or_null(slots.copying)}};
}

Json time_json(const QueueView::SlotTime& time) {
  return {{"used_ms", time.used_ms},
          {"lent_ms", time.lent_ms},
          {"borrowed_ms", time.borrowed_ms},
          {"lost_ms", time.lost_ms}};
}

Json time_json(const std::optional<QueueView::SlotTime>& time) {
  return time ? time_json(*time) : Json(nullptr);
}

Json part_json(const QueueView::User& user) {
  Json dimensions = Json::object();
  for (const QueueView::UserAmounts& each : user.amounts) {
    dimensions[each.dimension] = {{"running", each.running},
                                  {"limit", or_null(each.limit)},
                                  {"used_ms", each.used_ms},
                                  {"lost_ms", each.lost_ms}};
  }
  return {{"user", user.user},
          {"running_maps", user.running_maps},
          {"running_reduces", user.running_reduces},
          {"jobs", user.jobs},
          {"limit_maps", or_null(user.limit_maps)},
          {"limit_reduces", or_null(user.limit_reduces)},
          {"jobs_waiting", or_null(user.jobs_waiting)},
          {"jobs_pending", or_null(user.jobs_pending)},
          {"jobs_running", or_null(user.jobs_running)},
          {"jobs_succeeded", or_null(user.jobs_succeeded)},
          {"jobs_failed", or_null(user.jobs_failed)},
          {"jobs_killed", or_null(user.jobs_killed)},
          {"used_map_slot_ms", or_null(user.used_map_slot_ms)},
          {"used_reduce_slot_ms", or_null(user.used_reduce_slot_ms)},
          {"lost_map_slot_ms", or_null(user.lost_map_slot_ms)},
          {"lost_reduce_slot_ms", or_null(user.lost_reduce_slot_ms)},
          {"dimensions", std::move(dimensions)}};
}

Json part_json(const QueueView::Claim& claim) {
  return {{"kind", name(claim.kind)},
          {"slots", claim.slots},
          {"dimension", or_null(claim.dimension)},
          {"milliseconds_left", claim.milliseconds_left},
          {"claim", or_null(claim.claim)},
          {"opened_at_ms", or_null(claim.opened_at_ms)},
          {"owed_ms", or_null(claim.owed_ms)},
          {"deadline_ms", or_null(claim.deadline_ms)},
          {"overdue_ms", or_null(claim.overdue_ms)},
          {"state", or_null(claim.state)},
          {"width", or_null(claim.width)}};
}

Json part_json(const QueueView::Hold& hold) {
  return {{"kind", name(hold.kind)},
          {"tracker", hold.tracker},
          {"slots", hold.slots},
          {"claim", hold.claim},
          {"dying", hold.dying},
          {"room", or_null(hold.room)}};
}

Json part_json(const QueueView::Kill& kill) {
  return {{"at_ms", kill.at_ms},       {"claim", kill.claim},
          {"claimant", kill.claimant}, {"owed_ms", kill.owed_ms},
          {"victim", kill.victim},     {"user", kill.user},
          {"job", kill.job_name},      {"attempt", kill.attempt},
          {"tracker", kill.tracker},   {"slots", kill.slots},
          {"ran_ms", kill.ran_ms},     {"lost_slot_ms", kill.lost_slot_ms()},
          {"outcome", kill.outcome},   {"container", amounts_json(kill.container)},
          {"lost_ms", amounts_json(kill.lost_amounts_ms())}};
}

template <class Part>
Json parts_json(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(part_json(part));
  return list;
}

}  // namespace

Json to_json(const QueueView& queue) {
  Json dimensions = Json::object();
  for (const QueueView::Amounts& each : queue.amounts) {
    Json& amounts = dimensions[each.dimension] = slots_json(each.figures);
    amounts["min_share"] = or_null(each.min_share);
    amounts["kept"] = or_null(each.kept);
    amounts["reserved"] = each.reserved;
    amounts["time"] = time_json(each.time);
  }
  return {{"name", queue.name},
          {"leaf", queue.leaf},
          {"state", queue.state},
          {"guaranteed", queue.guaranteed},
          {"maps", slots_json(queue.maps)},
          {"reduces", slots_json(queue.reduces)},
          {"dimensions", std::move(dimensions)},
          {"dominant_thousandths", or_null(queue.dominant_thousandths)},
          {"jobs_waiting", queue.jobs_waiting},
          {"jobs_pending", queue.jobs_pending},
          {"jobs_running", queue.jobs_running},
          {"jobs_succeeded", queue.jobs_succeeded},
          {"jobs_failed", queue.jobs_failed},
          {"jobs_killed", queue.jobs_killed},
          {"totals_since_ms", queue.totals_since_ms},
          {"users", parts_json(queue.users)},
          {"claims", parts_json(queue.claims)},
          {"submit", or_null(queue.submit)},
          {"administer", or_null(queue.administer)},
          {"map_slot_time", time_json(queue.map_time)},
          {"reduce_slot_time", time_json(queue.reduce_time)},
          {"holds", parts_json(queue.holds)},
          {"kills", parts_json(queue.kills)},
          {"reclaim_after_map_ms", or_null(queue.reclaim_after_map_ms)},
          {"reclaim_after_reduce_ms", or_null(queue.reclaim_after_reduce_ms)},
          {"kill_budget", or_null(queue.kill_budget)},
          {"priorities", or_null(queue.priorities)}};
}

}  // namespace weir
