// The cluster, queues and pools.
#include <fmt/format.h>

#include "conf/values.h"
#include "tracker/port/sendable_host.h"
#include "tracker/published/listing.h"
#include "web/api/cluster_json.h"
#include "web/api/fields.h"
#include "web/api/handlers.h"
#include "web/api/reads.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

std::string tagged(Version version) {
  return etag_of(version);
}

HttpAnswer pools_answer(const OutlookView& outlook) {
  Json pools = Json::array();
  if (outlook.pools) pools = std::move(to_json(outlook)["shares"]);
  return json_answer({{"policy", outlook.policy}, {"pools", std::move(pools)}});
}

}  // namespace

void get_cluster(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  read_shared(context, call, query, "/cluster", [&context](const PublishedViews& views) {
    const ServerView server = context.tracker.cluster().info();
    Json json = to_json(server);
    if (const auto listens = parse_address(server.http.value_or("")))
      json["http"] = format_address({sendable_host(listens->host), listens->port});
    json.update(cluster_json(views, context.tracker.loop()));
    json["views_version"] = views.version;
    return json_answer(json, views.version);
  });
}

void get_queues(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version", "limit", "cursor"});
  const auto limit = query.limit(10'000);
  const std::string after = query.text("cursor").value_or("");
  const auto render = [limit, after](const PublishedViews& views) {
    std::vector<QueueView> page;
    bool more = false;
    const Status found = each_queue(views, after, [&](const QueueView& queue) {
      more = page.size() == static_cast<std::size_t>(limit);
      if (!more) page.push_back(queue);
      return !more;
    });
    if (!found) refuse("query: cursor: " + found.error().message, found.error().hint);
    HttpAnswer answer = json_text_answer(json_lines(page), views.version);
    answer.etag = tagged(views.version);
    if (more && !page.empty()) {
      const std::string cursor = percent_encoded(page.back().name);
      answer.with("X-Weir-Next-Cursor", cursor)
          .with("Link",
                fmt::format("</api/v1/queues?limit={}&cursor={}>; rel=\"next\"", limit, cursor));
    }
    return answer;
  };
  read_shared(context, call, query, call.request.target, render);
}

void get_queue(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  read_views(context, call, query, [name = call.names[0]](const PublishedViews& views) {
    const auto queue = find_queue(views, name);
    if (!queue) refuse(queue.error());
    HttpAnswer answer = json_answer(to_json(**queue), views.version);
    answer.etag = tagged(views.version);
    return answer;
  });
}

void patch_queue(ApiContext& context, const Call& call) {
  call.query({});
  const Caller caller = call.caller();
  const Json body = json_body(call.request);
  Fields fields(body, "");
  const std::string state = fields.needed("state");
  fields.end();
  if (state != "RUNNING" && state != "STOPPED")
    refuse("state: must be RUNNING or STOPPED", "RUNNING, STOPPED");
  context.tracker.cluster().set_queue_state(
      caller, call.names[0], state == "RUNNING",
      done(call, {{"queue", call.names[0]}, {"state", state}}));
}

void get_pools(ApiContext& context, const Call& call) {
  call.query({});
  const auto ask = [&context](Answer<OutlookView> answer) {
    context.tracker.settings().ruling_policy(std::move(answer));
  };
  share<OutlookView>(context, call, "/pools", ask, pools_answer);
}

void get_policy(ApiContext& context, const Call& call) {
  const bool advanced = call.query({"advanced"}).flag("advanced");
  const auto ask = [&settings = context.tracker.settings(), advanced](Answer<PolicyView> answer) {
    if (advanced) return settings.policy_with_standings(std::move(answer));
    settings.policy(std::move(answer));
  };
  share<PolicyView>(context, call, advanced ? "/policy?advanced" : "/policy", ask,
                    [](const PolicyView& policy) { return json_answer(to_json(policy)); });
}

void put_policy(ApiContext& context, const Call& call) {
  call.query({});
  const Caller caller = call.caller();
  const Json body = json_body(call.request);
  Fields fields(body, "");
  const std::string name = fields.needed("name");
  fields.end();
  context.tracker.settings().set_policy(caller, name, done(call, {{"current", name}}));
}

}  // namespace weir::web
