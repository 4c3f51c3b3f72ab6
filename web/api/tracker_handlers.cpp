// Trackers. Their age is by the clock, and their state with it, so these answers have no tag.
#include <fmt/format.h>

#include "jobqueue/model/plain_text.h"
#include "tracker/published/listing.h"
#include "web/api/fields.h"
#include "web/api/handlers.h"
#include "web/api/reads.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

const TrackerRecord* find_tracker(const PublishedViews& views, const std::string& name) {
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    const auto& record = views.trackers.get(i);
    if (record && record->view.name == name) return record.get();
  }
  return nullptr;
}

[[noreturn]] void refuse_tracker(const std::string& name) {
  refuse(Error{ErrorCode::kUnknownTracker,
               fmt::format("there is no tracker '{}'", name.substr(0, 100)),
               "see `weir tracker list`",
               {}});
}

}  // namespace

void get_trackers(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version", "limit", "cursor"});
  const auto limit = query.limit(10'000);
  const std::string after = query.text("cursor").value_or("");
  const auto render = [limit, after, &context](const PublishedViews& views) {
    if (!after.empty() && find_tracker(views, after) == nullptr) {
      refuse("query: cursor: there is no tracker '" + plain_text(after.substr(0, 100)) + "'",
             "ask for the first page again");
    }
    std::vector<TrackerView> page;
    bool more = false;
    each_tracker_by_name(views, context.tracker.loop().time().now(), after,
                         [&](const TrackerView& tracker) {
                           more = page.size() == static_cast<std::size_t>(limit);
                           if (!more) page.push_back(tracker);
                           return !more;
                         });
    HttpAnswer answer = json_text_answer(json_lines(page), views.version);
    if (more && !page.empty()) {
      const std::string cursor = percent_encoded(page.back().name);
      answer.with("X-Weir-Next-Cursor", cursor)
          .with("Link",
                fmt::format("</api/v1/trackers?limit={}&cursor={}>; rel=\"next\"", limit, cursor));
    }
    return answer;
  };
  read_shared(context, call, query, call.request.target, render);
}

void get_tracker(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  read_views(context, call, query, [&context, name = call.names[0]](const PublishedViews& views) {
    std::optional<TrackerView> found;
    each_tracker(views, context.tracker.loop().time().now(), [&](const TrackerView& tracker) {
      if (tracker.name == name) found = tracker;
      return !found;
    });
    if (!found) refuse_tracker(name);
    return json_answer(to_json(*found), views.version);
  });
}

void get_tracker_attempts(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.cluster().attempts_of_tracker(
      call.names[0],
      call.reply.then<std::vector<AttemptView>>([](const std::vector<AttemptView>& attempts) {
        return json_text_answer(json_lines(attempts));
      }));
}

void get_slots(ApiContext& context, const Call& call) {
  call.query({});
  using Slots = std::vector<TrackerSlotsView>;
  const auto ask = [&context](Answer<Slots> answer) {
    context.tracker.cluster().slots_by_queue(std::move(answer));
  };
  share<Slots>(context, call, "/slots", ask,
               [](const Slots& slots) { return json_text_answer(json_lines(slots)); });
}

void patch_tracker(ApiContext& context, const Call& call) {
  call.query({});
  const Caller caller = call.caller();
  const Json body = json_body(call.request);
  Fields fields(body, "");
  const std::string order = fields.needed("order");
  const std::string reason = fields.text("reason").value_or("");
  fields.end();
  const std::string& name = call.names[0];
  if (find_tracker(*context.tracker.loop().views().latest(), name) == nullptr) refuse_tracker(name);
  ClusterService& cluster = context.tracker.cluster();
  auto answer = done(call, {{"tracker", name}, {"order", order}});
  // Whether it is gone is as things are now.
  if (order == "lost" || order == "forget") answer = or_conflict(call, std::move(answer));
  if (order == "drain") {
    cluster.order_trackers(caller, {name}, TrackerOrder::kDrain, reason, answer);
  } else if (order == "resume") {
    cluster.order_trackers(caller, {name}, TrackerOrder::kNone, reason, answer);
  } else if (order == "stop") {
    cluster.order_trackers(caller, {name}, TrackerOrder::kStop, reason, answer);
  } else if (order == "stop now") {
    cluster.order_trackers(caller, {name}, TrackerOrder::kStopNow, reason, answer);
  } else if (order == "lost") {
    cluster.lose_trackers(caller, {name}, reason, answer);
  } else if (order == "forget") {
    cluster.forget_trackers(caller, {name}, answer);
  } else {
    refuse("order: '" + order.substr(0, 64) + "' is none",
           "drain, resume, stop, stop now, lost, forget");
  }
}

}  // namespace weir::web
