#include "web/api/cluster_json.h"

#include <set>
#include <string>
#include <utility>

#include "tracker/published/listing.h"

namespace weir::web {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

Json slots_json(const PublishedViews& views, TaskKind kind) {
  std::int64_t total = 0, used = 0, lost = 0;
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    const auto& record = views.trackers.get(i);
    if (!record) continue;
    const TrackerView& tracker = record->view;
    if (tracker.state == "LOST") {
      lost += tracker.total.slots(kind);
    } else {
      total += tracker.total.slots(kind);
      used += tracker.used.slots(kind);
    }
  }
  return {{"total", total}, {"used", used}, {"free", total - used}, {"lost", lost}};
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
  for (const QueueView& queue : *views.queues) {
    for (const QueueView::Kill& kill : queue.kills) {
      const bool died = kill.outcome != "logged_only" && kill.outcome != "finished_first";
      if (kill.at_ms + kHourMs < now_ms || !died) continue;
      if (seen.emplace(kill.attempt, kill.at_ms).second) waste_ms += kill.lost_slot_ms();
    }
  }
  return {{"attempts", seen.size()}, {"waste_slot_ms", waste_ms}};
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

Json cluster_json(const PublishedViews& views, std::int64_t now_ms) {
  return {{"policy", views.policy},
          {"slots",
           {{"maps", slots_json(views, TaskKind::kMap)},
            {"reduces", slots_json(views, TaskKind::kReduce)}}},
          {"jobs", jobs_json(views)},
          {"queues", views.queues->size()},
          {"trackers_live", views.live_trackers},
          {"claims", claims_json(views)},
          {"kills_last_hour", kills_json(views, now_ms)}};
}

}  // namespace weir::web
