// Trackers.
#include "thrift/wire_job.h"
#include "thrift/wire_optional.h"
#include "thrift/wire_views.h"

namespace weir {
namespace {

Resources amounts_of(const wire::Resources& amount) {
  return {{amount.map_slots, amount.reduce_slots, amount.memory_mb, amount.vcores}};
}

wire::OfferInfo offer_to_wire(const TrackerView::Offer& offer) {
  wire::OfferInfo out;
  out.dimension = offer.dimension;
  out.total = offer.total;
  out.used = offer.used;
  return out;
}

TrackerView::Offer offer_from_wire(const wire::OfferInfo& offer) {
  return {offer.dimension, offer.total, offer.used};
}

void order_to_wire(const TrackerView::Order& order, wire::TrackerStatus& out) {
  out.__set_order(order.what);
  out.__set_ordered_by(order.by);
  if (order.reason) out.__set_order_reason(*order.reason);
  out.__set_ordered_at_ms(order.at_ms);
  out.__set_outputs(order.outputs);
  out.__set_outputs_for(order.outputs_for);
}

TrackerView::Order order_from_wire(const wire::TrackerStatus& tracker) {
  return {.what = tracker.order,
          .by = tracker.ordered_by,
          .reason = if_set(tracker.__isset.order_reason, tracker.order_reason),
          .at_ms = tracker.ordered_at_ms,
          .outputs = tracker.outputs,
          .outputs_for = tracker.outputs_for};
}

}  // namespace

wire::TrackerStatus to_wire(const TrackerView& tracker) {
  wire::TrackerStatus out;
  out.name = tracker.name;
  out.state = tracker.state;
  out.host = tracker.host;
  out.rack = tracker.rack;
  out.shuffle_port = tracker.shuffle_port;
  out.total = to_wire(tracker.total);
  out.used = to_wire(tracker.used);
  if (!tracker.offer.empty()) out.__isset.offer = true;
  for (const TrackerView::Offer& each : tracker.offer) out.offer.push_back(offer_to_wire(each));
  if (tracker.ports) out.__set_ports(offer_to_wire(*tracker.ports));
  if (!tracker.labels.empty()) out.__set_labels(tracker.labels);
  if (tracker.reserved_for) out.__set_reserved_for(tracker.reserved_for->value);
  if (tracker.room_for) {
    out.__set_room_for(tracker.room_for->value);
    out.__set_rooms(tracker.rooms);
  }
  out.last_heartbeat_ms_ago = tracker.last_heartbeat_ms_ago;
  out.__set_attempts(tracker.attempts);
  if (tracker.free_disk_mb) out.__set_free_disk_mb(*tracker.free_disk_mb);
  if (tracker.health) out.__set_health(*tracker.health);
  if (tracker.copying) out.__set_copying(*tracker.copying);
  if (tracker.copied) out.__set_copied(*tracker.copied);
  if (tracker.order) order_to_wire(*tracker.order, out);
  if (!tracker.faults.empty()) out.__set_faults(tracker.faults);
  if (tracker.back_at_ms) out.__set_back_at_ms(*tracker.back_at_ms);
  if (tracker.lost_why) out.__set_lost_why(*tracker.lost_why);
  if (!tracker.protections.empty()) out.__set_protections(tracker.protections);
  return out;
}

TrackerView from_wire(const wire::TrackerStatus& tracker) {
  const auto& set = tracker.__isset;
  TrackerView out;
  out.name = tracker.name;
  out.state = tracker.state;
  out.host = tracker.host;
  out.rack = tracker.rack;
  out.shuffle_port = tracker.shuffle_port;
  out.total = amounts_of(tracker.total);
  out.used = amounts_of(tracker.used);
  for (const wire::OfferInfo& each : tracker.offer)
    out.offer.push_back(offer_from_wire(each));
  if (set.ports) out.ports = offer_from_wire(tracker.ports);
  out.labels = tracker.labels;
  if (set.reserved_for)
    out.reserved_for = JobId(static_cast<std::size_t>(tracker.reserved_for));
  if (set.room_for) out.room_for = JobId(static_cast<std::size_t>(tracker.room_for));
  out.rooms = tracker.rooms;
  out.last_heartbeat_ms_ago = tracker.last_heartbeat_ms_ago;
  out.attempts = tracker.attempts;
  out.free_disk_mb = if_set(set.free_disk_mb, tracker.free_disk_mb);
  out.health = if_set(set.health, tracker.health);
  out.copying = if_set(set.copying, tracker.copying);
  out.copied = if_set(set.copied, tracker.copied);
  if (set.order) out.order = order_from_wire(tracker);
  out.faults = tracker.faults;
  out.back_at_ms = if_set(set.back_at_ms, tracker.back_at_ms);
  out.lost_why = if_set(set.lost_why, tracker.lost_why);
  out.protections = tracker.protections;
  return out;
}

}  // namespace weir
