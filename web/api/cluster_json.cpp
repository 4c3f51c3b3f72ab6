#include "web/api/cluster_json.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tracker/published/listing.h"

namespace weir::web {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

// Of one class of slots, or of one dimension of what trackers offer.
struct Slots {
  std::int64_t total = 0, used = 0;
  std::map<std::string, std::int64_t> unused = {  // by unused_state()
      {"free", 0}, {"withheld", 0}, {"lost", 0}, {"awaited", 0}};

  void add(const TrackerView& tracker, std::int64_t has, std::int64_t holds) {
    if (tracker.state == "LOST") {
      unused["lost"] += has;
      return;
    }
    total += has;
    used += holds;
    unused[unused_state(tracker)] += std::max<std::int64_t>(0, has - holds);
  }
};
Json slots_json(const Slots& slots) {
  Json json = {{"total", slots.total}, {"used", slots.used}};
  for (const char* state : {"free", "withheld", "lost", "awaited"})
    json[state] = slots.unused.at(state);
  return json;
}

// What trackers there are, by state, and what they have. Nothing of one that takes no tasks, or is
// not heard of, is free.
Json trackers_json(const PublishedViews& views, TimeMs now) {
  Slots slots[kTaskKindCount];
  std::vector<std::pair<std::string, Slots>> amounts;  // where containers count
  if (!views.queues->empty()) {
    for (const QueueView::Amounts& each : views.queues->front().amounts)
      amounts.emplace_back(each.dimension, Slots{});
  }
  std::map<std::string, std::int64_t> by_state;
  std::int64_t listed = 0, live = 0;
  each_tracker(views, now, [&](const TrackerView& tracker) {
    ++by_state[tracker.state];
    for (const TaskKind kind : kTaskKinds)
      slots[index(kind)].add(tracker, tracker.total.slots(kind), tracker.used.slots(kind));
    for (auto& [dimension, all] : amounts) {
      for (const TrackerView::Offer& each : tracker.offer)
        if (each.dimension == dimension) all.add(tracker, each.total, each.used);
    }
    ++listed;
    if (takes_tasks(tracker)) ++live;
    return true;
  });
  Json dimensions = Json::object();
  for (const auto& [dimension, all] : amounts) dimensions[dimension] = slots_json(all);
  return {{"trackers", listed},
          {"trackers_live", live},
          {"slots", {{"maps", slots_json(slots[0])}, {"reduces", slots_json(slots[1])}}},
          {"dimensions", std::move(dimensions)},
          {"trackers_by_state", by_state}};
}

Json jobs_json(const PublishedViews& views) {
  const UnfinishedJobs jobs = unfinished_jobs(*views.queues);
  return {{"waiting", jobs.waiting},
          {"pending", jobs.pending},
          {"running", jobs.running},
          {"unfinished", views.jobs_unfinished}};
}

// Of the decisions, which are the kills of the report and of the Events page too: the lists of the
// queues end after the last few.
Json kills_json(const PublishedViews& views, const DecisionLog& decisions, TimeMs now) {
  const KillSum kills = decisions.kills_since(now - kHourMs);
  std::vector<Amount> amounts;
  if (!views.queues->empty()) {
    for (const auto& counted : views.queues->front().amounts)
      amounts.push_back({counted.dimension});
  }
  for (const Amount& lost : kills.amounts_ms) {
    const auto same = std::find_if(amounts.begin(), amounts.end(), [&](const Amount& known) {
      return known.dimension == lost.dimension;
    });
    if (same == amounts.end()) {
      amounts.push_back(lost);
    } else {
      *same = lost;
    }
  }
  return {{"attempts", kills.attempts},
          {"waste_slot_ms", kills.slot_ms},
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

Json cluster_json(const PublishedViews& views, const EngineLoop& loop) {
  const TimeMs now = loop.time().now();
  Json json = {{"policy", views.policy},
               {"policy_since_ms", views.policy_since},
               {"jobs", jobs_json(views)},
               {"queues", views.queues->size()},
               {"claims", claims_json(views)},
               {"kills_last_hour", kills_json(views, loop.decisions(), now)}};
  json.update(trackers_json(views, now));
  return json;
}

}  // namespace weir::web
