#include "web/api/cluster_json.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracker/published/listing.h"

namespace weir::web {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

struct Slots {
  std::int64_t total = 0, used = 0, free = 0, withheld = 0, lost = 0;
};
Json slots_json(const Slots& slots) {
  return {{"total", slots.total},
          {"used", slots.used},
          {"free", slots.free},
          {"withheld", slots.withheld},
          {"lost", slots.lost}};
}

// What trackers there are, by state, and what they have. Nothing of one that takes no tasks, or is
// not heard of, is free.
Json trackers_json(const PublishedViews& views, TimeMs now) {
  Slots slots[kTaskKindCount];
  std::map<std::string, std::int64_t> by_state;
  std::int64_t listed = 0, live = 0;
  each_tracker(views, now, [&](const TrackerView& tracker) {
    ++by_state[tracker.state];
    for (const TaskKind kind : kTaskKinds) {
      Slots& all = slots[index(kind)];
      const std::int64_t total = tracker.total.slots(kind), used = tracker.used.slots(kind);
      if (tracker.state == "LOST") {
        all.lost += total;
        continue;
      }
      all.total += total;
      all.used += used;
      (takes_tasks(tracker) ? all.free : all.withheld) += std::max<std::int64_t>(0, total - used);
    }
    ++listed;
    if (takes_tasks(tracker)) ++live;
    return true;
  });
  return {{"trackers", listed},
          {"trackers_live", live},
          {"slots", {{"maps", slots_json(slots[0])}, {"reduces", slots_json(slots[1])}}},
          {"trackers_by_state", by_state}};
}

Json jobs_json(const PublishedViews& views) {
  const UnfinishedJobs jobs = unfinished_jobs(*views.queues);
  return {{"waiting", jobs.waiting},
          {"pending", jobs.pending},
          {"running", jobs.running},
          {"unfinished", views.jobs_unfinished}};
}

// A queue shows the kills for it and those of its tasks: one kill is in two lists.
Json kills_json(const PublishedViews& views, std::int64_t now_ms) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  std::int64_t waste_ms = 0;
  std::vector<Amount> amounts;
  const auto add = [&](const std::string& dimension, std::int64_t amount_ms) {
    const auto same = std::find_if(amounts.begin(), amounts.end(), [&](const Amount& known) {
      return known.dimension == dimension;
    });
    if (same == amounts.end()) {
      amounts.push_back({dimension, amount_ms});
    } else {
      same->amount += amount_ms;
    }
  };
  if (!views.queues->empty()) {
    for (const auto& counted : views.queues->front().amounts) add(counted.dimension, 0);
  }
  for (const QueueView& queue : *views.queues) {
    for (const QueueView::Kill& kill : queue.kills) {
      const bool died = kill.outcome != "logged_only" && kill.outcome != "finished_first";
      if (kill.at_ms + kHourMs < now_ms || !died) continue;
      if (!seen.emplace(kill.attempt, kill.at_ms).second) continue;
      waste_ms += kill.lost_slot_ms();
      for (const Amount& lost : kill.lost_amounts_ms()) add(lost.dimension, lost.amount);
    }
  }
  return {{"attempts", seen.size()},
          {"waste_slot_ms", waste_ms},
          {"waste_ms", amounts_json(amounts)}};
}

}  // namespace

Json claims_json(const PublishedViews& views) {
  Json claims = Json::array();
  for (const QueueView& queue : *views.queues) {
    if (queue.claims.empty()) continue;
    const Json of_queue = to_json(queue);
    for (const Json& claim : of_queue.at("claims")) {
      Json open = {{"queue", queue.name}};
      open.update(claim);
      claims.push_back(std::move(open));
    }
  }
  return claims;
}

Json cluster_json(const PublishedViews& views, const TimeSource& time) {
  const TimeMs now = time.now();
  Json json = {{"policy", views.policy},
               {"policy_since_ms", views.policy_since},
               {"jobs", jobs_json(views)},
               {"queues", views.queues->size()},
               {"claims", claims_json(views)},
               {"kills_last_hour", kills_json(views, time.wall().at(now))}};
  json.update(trackers_json(views, now));
  return json;
}

}  // namespace weir::web
