// Trackers.
#include "views/json/json.h"
#include "views/json/or_null.h"

namespace weir {
namespace {

Json resources_json(const Resources& amount) {
  return {{"map_slots", amount[Dimension::kMapSlots]},
          {"reduce_slots", amount[Dimension::kReduceSlots]},
          {"memory_mb", amount[Dimension::kMemoryMb]},
          {"vcores", amount[Dimension::kVcores]}};
}

Json offer_json(const TrackerView::Offer& offer) {
  return {{"total", offer.total}, {"used", offer.used}, {"free", offer.total - offer.used}};
}

// A field of the order, if there is one.
template <class Field>
Json of_order(const TrackerView& tracker, Field TrackerView::Order::*field) {
  return tracker.order ? Json((*tracker.order).*field) : Json(nullptr);
}

}  // namespace

Json to_json(const TrackerView& tracker) {
  using Order = TrackerView::Order;
  Json offer = Json::object();
  for (const TrackerView::Offer& each : tracker.offer) offer[each.dimension] = offer_json(each);
  const Json reserved_for =
      tracker.reserved_for ? Json(job_name(*tracker.reserved_for)) : Json(nullptr);
  const Json heard = tracker.back() ? Json(tracker.last_heartbeat_ms_ago) : Json(nullptr);
  return {{"name", tracker.name},
          {"state", tracker.state},
          {"host", tracker.host},
          {"rack", tracker.rack},
          {"shuffle_port", tracker.shuffle_port},
          {"total", resources_json(tracker.total)},
          {"used", resources_json(tracker.used)},
          {"offer", std::move(offer)},
          {"ports", tracker.ports ? offer_json(*tracker.ports) : Json(nullptr)},
          {"reserved_for", reserved_for},
          {"room_for", tracker.room_for ? Json(job_name(*tracker.room_for)) : Json(nullptr)},
          {"rooms", tracker.rooms},
          {"labels", tracker.labels},
          {"last_heartbeat_ms_ago", heard},
          {"free_disk_mb", or_null(tracker.free_disk_mb)},
          {"copying", or_null(tracker.copying)},
          {"copied", or_null(tracker.copied)},
          {"health", or_null(tracker.health)},
          {"protections", tracker.protections},
          {"attempts", tracker.attempts},
          {"order", of_order(tracker, &Order::what)},
          {"ordered_by", of_order(tracker, &Order::by)},
          {"order_reason", tracker.order ? or_null(tracker.order->reason) : Json(nullptr)},
          {"ordered_at_ms", of_order(tracker, &Order::at_ms)},
          {"outputs", of_order(tracker, &Order::outputs)},
          {"outputs_for", of_order(tracker, &Order::outputs_for)},
          {"faults", tracker.faults},
          {"back_at_ms", or_null(tracker.back_at_ms)},
          {"lost_why", or_null(tracker.lost_why)}};
}

Json to_json(const TrackerSlotsView& slots) {
  Json queues = Json::array();
  for (const TrackerSlotsView::Of& of : slots.queues) {
    Json dimensions = Json::object();
    for (const Amount& each : of.amounts) dimensions[each.dimension] = each.amount;
    queues.push_back({{"queue", of.queue},
                      {"maps", of.maps},
                      {"reduces", of.reduces},
                      {"dimensions", std::move(dimensions)}});
  }
  return {{"tracker", slots.tracker}, {"queues", std::move(queues)}};
}

}  // namespace weir
