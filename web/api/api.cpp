#include "web/api/api.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "web/api/handlers.h"
#include "web/server/embedded.h"

namespace weir::web {
namespace {

using Segments = std::vector<std::string>;
constexpr std::size_t kRoot = 2;  // segments of /api/v1

// The segments that stand for {}, if the path is the route's.
std::optional<Segments> match(std::string_view pattern, const Segments& path, std::size_t from) {
  Segments names;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);
    const std::size_t slash = pattern.find('/');
    const std::string_view part = pattern.substr(0, slash);
    if (from == path.size()) return std::nullopt;
    const std::string& segment = path[from++];
    if (part == "{}") {
      if (segment.empty()) return std::nullopt;
      names.push_back(segment);
    } else if (part != segment) {
      return std::nullopt;
    }
    if (slash == std::string_view::npos) break;
    pattern.remove_prefix(slash);
  }
  return from == path.size() ? std::optional(std::move(names)) : std::nullopt;
}

void give_openapi(ApiContext&, const Call& call) {
  call.query({});
  HttpAnswer answer = json_text_answer(std::string(openapi_text()));
  answer.etag = fmt::format("\"{:x}\"", std::hash<std::string_view>()(openapi_text()));
  call.reply.give(std::move(answer));
}

std::string allowed_methods(const Segments& path, std::size_t from) {
  std::string allowed;
  for (const Route& route : routes()) {
    if (!match(route.path, path, from)) continue;
    if (!allowed.empty()) allowed += ", ";
    allowed += route.method;
    if (std::string_view(route.method) == "GET") allowed += ", HEAD";
  }
  return allowed.empty() ? "" : allowed + ", OPTIONS";
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> table = {
      {"GET", "/cluster", get_cluster},
      {"GET", "/decisions", get_decisions},
      {"GET", "/events", get_events},
      {"GET", "/history", get_history},
      {"GET", "/jobs", get_jobs},
      {"POST", "/jobs", post_job, true},
      {"GET", "/jobs/{}", get_job},
      {"DELETE", "/jobs/{}", delete_job, true},
      {"PATCH", "/jobs/{}", patch_job, true},
      {"GET", "/jobs/{}/counters", get_job_counters},
      {"GET", "/jobs/{}/explain", get_job_explain},
      {"GET", "/jobs/{}/logs/{}", get_job_log},
      {"GET", "/jobs/{}/submission", get_job_submission},
      {"GET", "/jobs/{}/tasks", get_job_tasks},
      {"GET", "/openapi.json", give_openapi},
      {"GET", "/policy", get_policy},
      {"PUT", "/policy", put_policy, true},
      {"GET", "/pools", get_pools},
      {"GET", "/queues", get_queues},
      {"GET", "/queues/{}", get_queue},
      {"PATCH", "/queues/{}", patch_queue, true},
      {"GET", "/series", get_series},
      {"GET", "/settings", get_settings},
      {"PUT", "/settings", put_settings, true},
      {"POST", "/settings/check", post_settings_check, true},
      {"POST", "/settings/diff", post_settings_diff, true},
      {"GET", "/settings/file", get_settings_file},
      {"GET", "/settings/history", get_settings_history},
      {"GET", "/settings/history/{}", get_settings_of},
      {"GET", "/settings/in_force", get_settings_in_force},
      {"GET", "/slots", get_slots},
      {"GET", "/trackers", get_trackers},
      {"GET", "/trackers/{}", get_tracker},
      {"PATCH", "/trackers/{}", patch_tracker, true},
      {"GET", "/trackers/{}/attempts", get_tracker_attempts},
  };
  return table;
}

std::size_t route_of(const HttpRequest& request) {
  const std::vector<Route>& table = routes();
  const std::vector<std::string>& path = request.path;
  if (path.size() < kRoot || path[0] != "api" || path[1] != "v1") return table.size();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Route& route) {
    return request.method == route.method && match(route.path, path, kRoot);
  });
  return static_cast<std::size_t>(found - table.begin());
}

Api::Api(JobTracker& jobtracker, boost::asio::io_context& io, Workers& workers, HostCheck hosts)
    : context_(jobtracker, io, workers), hosts_(std::move(hosts)) {}

bool Api::handle(const HttpRequest& request, const HttpResponder& responder) {
  if (request.path.empty() || request.path[0] != "api") return false;
  try {
    dispatch(request, responder);
  } catch (const Refusal& refusal) {
    responder.answer(error_answer(refusal));
  } catch (const std::exception& error) {
    spdlog::error("web port: {} {}: {}", request.method, request.target, error.what());
    responder.answer(error_answer(
        Error{ErrorCode::kInternal, "the server failed at this request", "see its log", {}}));
  }
  return true;
}

std::string_view openapi_text() {
  return embedded_api().front().text;
}

void Api::stop() {
  context_.events.stop();
  context_.lookups.stop();
}

void Api::dispatch(const HttpRequest& request, const HttpResponder& responder) {
  if (request.path.size() < kRoot || request.path[1] != "v1")
    refuse("there is no such path", "see /api/v1/openapi.json", 404);
  const std::string allowed = allowed_methods(request.path, kRoot);
  if (allowed.empty()) refuse("there is no such path", "see /api/v1/openapi.json", 404);
  if (request.method == "OPTIONS") {
    HttpAnswer answer;
    answer.status = 204;
    return responder.answer(std::move(answer.with("Allow", allowed)));
  }
  for (const Route& route : routes()) {
    if (request.method != route.method) continue;
    auto names = match(route.path, request.path, kRoot);
    if (!names) continue;
    if (route.changes) hosts_.check_origin(request);
    if (request.length_missing)
      refuse("a body whose length is not said", "a Content-Length header", 411);
    return route.handle(context_, Call{request, std::move(*names), Reply(responder)});
  }
  throw Refusal{Error{ErrorCode::kBadRequest,
                      fmt::format("{} is not for this path", request.method),
                      allowed,
                      {}},
                405,
                {{"Allow", allowed}}};
}

}  // namespace weir::web
