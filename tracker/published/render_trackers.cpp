// Trackers.
#include <algorithm>
#include <array>
#include <map>

#include "tracker/published/render.h"

namespace weir {
namespace {

const char* state_of(const TrackerState& tracker) {
  if (tracker.state == TrackerState::State::kLost) return "LOST";
  if (tracker.state == TrackerState::State::kAwaited)
    return tracker.health.empty() ? "AWAITED" : "RETURNING";
  if (tracker.stopping()) return "STOPPING";
  if (tracker.order == TrackerOrder::kDrain) {
    const bool nothing_left = tracker.attempts.empty() && tracker.map_outputs.empty() &&
                              tracker.duties.empty() && tracker.held_commits.empty();
    return nothing_left ? "DRAINED" : "DRAINING";
  }
  if (tracker.faulty) return "FAULTY";
  if (tracker.low_disk) return "LOW_DISK";
  return tracker.accepts_tasks ? "LIVE" : "UNHEALTHY";
}

// What was ordered of it, and what is left to do before it may go.
std::optional<TrackerView::Order> order_of(const TrackerState& tracker, const WallClock& wall) {
  if (tracker.order == TrackerOrder::kNone) return std::nullopt;
  constexpr std::size_t kJobsNamed = 20;
  TrackerView::Order out;
  out.what = name(tracker.order);
  out.by = tracker.ordered_by;
  if (!tracker.order_reason.empty()) out.reason = tracker.order_reason;
  out.at_ms = wall.at(tracker.ordered_at);
  std::vector<std::string>& jobs = out.outputs_for;
  for (const TaskKey& key : tracker.map_outputs) {
    const std::string job = job_name(key.job);
    if (std::find(jobs.begin(), jobs.end(), job) == jobs.end() && jobs.size() < kJobsNamed)
      jobs.push_back(job);
  }
  out.outputs = count(tracker.map_outputs.size());
  return out;
}

}  // namespace

TrackerRecord render_tracker(const Engine& engine, const TrackerState& tracker,
                             const WallClock& wall) {
  TrackerRecord out;
  out.last_heartbeat = tracker.last_heartbeat;
  TrackerView& view = out.view;
  view.name = tracker.name;
  view.state = state_of(tracker);
  view.order = order_of(tracker, wall);
  view.attempts = count(tracker.attempts.size());
  for (const TimeMs fault : tracker.faults) view.faults.push_back(wall.at(fault));
  if (const auto back = engine.back_at(tracker)) view.back_at_ms = wall.at(*back);
  if (tracker.state == TrackerState::State::kLost && !tracker.lost_why.empty())
    view.lost_why = tracker.lost_why;
  view.host = tracker.host;
  if (tracker.rack.valid()) view.rack = engine.state().rack_name(tracker.rack);
  view.shuffle_port = tracker.shuffle_port;
  view.total = tracker.total;
  view.used = tracker.used;
  const Space& space = engine.state().space();
  for (const Dimension d : space.dimensions()) {
    if (space.containers())
      view.offer.push_back({std::string(space.name(d)), tracker.total[d], tracker.used[d]});
  }
  if (space.containers()) view.ports = {"ports", tracker.port_count, tracker.ports_used};
  if (space.containers() && tracker.keeps > 0) {
    for (const Reservation& kept : engine.state().claims().reservations())
      if (kept.tracker == tracker.id) view.reserved_for = kept.job;
  }
  if (const Assembly* assembly = engine.state().assembly()) {
    const auto here = [&](const GangRoom& room) { return room.tracker == tracker.id; };
    view.rooms = static_cast<std::int32_t>(
        std::count_if(assembly->rooms.begin(), assembly->rooms.end(), here));
    if (view.rooms > 0) view.room_for = assembly->job;
  }
  view.labels = tracker.labels;
  if (tracker.copy_slots > 0) {
    view.copying = tracker.copy_slots;
    view.copied = count(tracker.copied);
  }
  if (tracker.free_disk_mb >= 0) view.free_disk_mb = tracker.free_disk_mb;
  if (!tracker.health.empty()) view.health = tracker.health;
  if (!tracker.protections.empty()) view.protections = tracker.protections;
  return out;
}

TrackerSlotsView render_slots(const Engine& engine, const TrackerState& tracker) {
  const ClusterState& state = engine.state();
  std::map<QueueId, PerDimension<std::int64_t>> held;
  for (const AttemptSlot slot : tracker.attempts) {
    const Attempt& attempt = state.attempt(slot);
    const TaskKey& task = attempt.key.task;
    const Job* job = state.find_job(task.job);
    if (!attempt.has_slots() || job == nullptr) continue;
    PerDimension<std::int64_t>& of = held[attempt.queue];
    for (const Dimension d : state.space().dimensions()) of[d] += job->need(task.kind)[d];
  }
  TrackerSlotsView out{tracker.name, {}};
  for (const auto& [queue, of] : held) {
    TrackerSlotsView::Of& line = out.queues.emplace_back();
    line.queue = state.tree().node(queue).path;
    if (state.space().containers()) {
      for (const Dimension d : state.space().dimensions())
        line.amounts.push_back({std::string(state.space().name(d)), of[d]});
    } else {
      line.maps = of[TaskKind::kMap];
      line.reduces = of[TaskKind::kReduce];
    }
  }
  return out;
}

}  // namespace weir
