// Trackers, slots and jobs in all.
#include <algorithm>
#include <cctype>
#include <map>

#include "tracker/published/listing.h"
#include "tracker/published/published_views.h"
#include "web/metrics/families.h"

namespace weir {
namespace {

constexpr const char* kTrackerStates[] = {"live",     "silent",  "draining", "drained",
                                          "stopping", "faulty",  "low_disk", "unhealthy",
                                          "lost",     "awaited", "returning"};
constexpr const char* kSlotStates[] = {"used", "free", "withheld", "lost", "awaited"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

void add_cluster(Families& families, const PublishedViews& views, std::int64_t now) {
  std::map<std::string, std::int64_t> trackers;
  std::map<std::string, std::int64_t> slots[kTaskKindCount];
  std::map<std::string, std::map<std::string, std::int64_t>> offers;  // where containers count
  std::int64_t reserved = 0, rooms = 0;
  each_tracker(views, now, [&](const TrackerView& tracker) {
    const std::string state = lower(tracker.state);
    ++trackers[state];
    for (const TaskKind kind : kTaskKinds) {
      auto& of = slots[index(kind)];
      const std::int64_t used = tracker.used.slots(kind);
      if (state != "lost") of["used"] += used;
      of[unused_state(tracker)] +=
          std::max<std::int64_t>(0, tracker.total.slots(kind) - (state == "lost" ? 0 : used));
    }
    for (const TrackerView::Offer& offer : tracker.offer) {
      auto& of = offers[offer.dimension];
      const std::int64_t used = state == "lost" ? 0 : offer.used;
      of["used"] += used;
      of[unused_state(tracker)] += std::max<std::int64_t>(0, offer.total - used);
    }
    if (tracker.reserved_for) ++reserved;
    rooms += tracker.rooms;
    return true;
  });
  families.gauge("weir_trackers", "Trackers by state, as `weir tracker list` shows it.");
  for (const char* state : kTrackerStates) families.add(trackers[state], {{"state", state}});
  families.gauge("weir_slots",
                 "Slots of all trackers: used by attempts, free, withheld (the tracker takes no "
                 "tasks or is silent), lost with their tracker, or awaited after a restart.");
  for (const TaskKind kind : kTaskKinds) {
    for (const char* state : kSlotStates) {
      if (offers.empty())
        families.add(slots[index(kind)][state], {{"class", name(kind)}, {"state", state}});
    }
  }
  families.gauge("weir_offered_amount",
                 "What trackers offer where containers count, in MB, vcores and so on: used by "
                 "attempts or held for gangs, and else as in weir_slots.");
  for (auto& [dimension, of] : offers) {
    for (const char* state : kSlotStates)
      families.add(of[state], {{"dimension", dimension}, {"state", state}});
  }
  families
      .gauge("weir_trackers_reserved",
             "Trackers that are kept for a large task that waits for room there.")
      .add(reserved);
  families
      .gauge("weir_gang_rooms",
             "Members of gangs that have not started, for which room is held.")
      .add(rooms);
  const UnfinishedJobs jobs = unfinished_jobs(*views.queues);
  families
      .gauge("weir_jobs",
             "Unfinished jobs: waiting (held, or over a limit of running jobs), pending (none of "
             "its tasks has started), running.")
      .add(jobs.waiting, {{"state", "waiting"}})
      .add(jobs.pending, {{"state", "pending"}})
      .add(jobs.running, {{"state", "running"}});
  families.gauge("weir_policy_info", "1; the label is the policy that rules.")
      .add(1.0, {{"policy", views.policy}});
  families.gauge("weir_heartbeat_interval_seconds", "How often trackers are told to report.")
      .add(static_cast<double>(views.heartbeat_interval) / 1'000);
}

}  // namespace weir
