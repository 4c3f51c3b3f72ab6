// The stream of events.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "web/api/handlers.h"

namespace weir::web {
namespace {

std::optional<std::int64_t> version_of(const std::string& text) {
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 0) return std::nullopt;
  return version;
}

}  // namespace

void get_events(ApiContext& context, const Call& call) {
  const Query query = call.query({"topics", "jobs", "since"});
  StreamWish wish;
  const auto& known = EventStreams::topics();
  for (std::string& topic : query.list("topics")) {
    if (std::find(known.begin(), known.end(), topic) == known.end()) {
      refuse("query: topics: '" + topic.substr(0, 64) + "' is none",
             "queues, jobs, trackers, policy, settings, cluster");
    }
    wish.topics.insert(std::move(topic));
  }
  for (const std::string& name : query.list("jobs")) {
    const auto job = parse_job_name(name);
    if (!job) refuse("query: jobs: '" + name.substr(0, 64) + "' is no job", "7,0008,job_0009");
    wish.jobs.push_back(*job);
  }
  if (wish.jobs.size() > EventStreams::kMostJobs)
    refuse(fmt::format("query: jobs: {} jobs", wish.jobs.size()), "at most 100");
  // A browser that comes back says what it has seen; `since` is for the first time.
  const auto last = call.request.header("last-event-id");
  const auto since = query.text("since");
  if (last) {
    wish.seen = version_of(*last).value_or(0);
  } else if (since) {
    wish.seen = query.integer("since");
  }
  if (call.request.head) {
    HttpAnswer answer;
    answer.content_type = "text/event-stream";
    answer.endless = true;
    return call.reply.give(std::move(answer));
  }
  context.events.open(std::move(wish), call.reply.responder());
}

}  // namespace weir::web
