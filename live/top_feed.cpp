#include "live/top_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "live/api_json.h"
#include "live/event_parser.h"
#include "live/report_reader.h"

namespace weir::live {
namespace {

constexpr std::int64_t kFirstPauseMs = 500, kLongestPauseMs = 5'000;
constexpr std::int64_t kReasonsEveryMs = 3'000;  // the stream does not tell why a job waits
constexpr const char* kJobs = "/api/v1/jobs?unfinished=true&limit=1000";

}  // namespace

std::int64_t steady_now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TopFeed::TopFeed(const std::string& host, std::uint16_t port, std::string user,
                 std::function<void()> changed)
    : user_(std::move(user)),
      changed_(std::move(changed)),
      reader_(host, port),
      stream_(host, port),
      doer_(host, port) {
  model_.address = reader_.address();
  follower_ = std::thread([this] { follow(); });
  actor_ = std::thread([this] { act(); });
}

TopFeed::~TopFeed() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  for (HttpClient* client : {&reader_, &stream_, &doer_}) client->stop();
  follower_.join();
  actor_.join();
}

bool TopFeed::pause(std::int64_t milliseconds) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return over_; });
}

void TopFeed::say_trouble(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (model_.trouble.empty()) model_.trouble_since_ms = steady_now_ms();
    model_.trouble = what;
  }
  changed_();
}

void TopFeed::follow() {
  std::int64_t pause_ms = kFirstPauseMs;
  do {
    try {
      read_all();
      pause_ms = kFirstPauseMs;
      EventParser parser;
      const auto version = with_model([](const TopModel& model) { return model.version; });
      const HttpReply end = stream_.stream(
          fmt::format("/api/v1/events?topics=cluster,queues,jobs,policy&since={}", version),
          [&](std::string_view piece) {
            bool good = true;
            const bool fits = parser.feed(piece, [&](const ServerEvent& event) {
              good = good && take(event.name, event.data);
            });
            return good && fits;
          });
      if (end.status != 200) {
        say_trouble(fmt::format("the stream of events answers {}", end.status));
      }
    } catch (const std::exception& trouble) {
      say_trouble(trouble.what());
    }
    const bool well = with_model([](const TopModel& model) { return model.trouble.empty(); });
    if (!pause(well ? kFirstPauseMs : pause_ms)) return;
    pause_ms = std::min(2 * pause_ms, kLongestPauseMs);
  } while (true);
}

void TopFeed::read_all() {
  const HttpReply reply = reader_.get("/api/v1/cluster");
  const Json cluster = Json::parse(reply.body, nullptr, false);
  if (reply.status != 200 || !cluster.is_object()) {
    throw ApiRefused(reply.status, fmt::format("it answers {}", reply.status));
  }
  const Json queues = get_json(reader_, "/api/v1/queues");
  const Json jobs = get_json(reader_, kJobs);
  {
    const std::lock_guard lock(mutex_);
    take_cluster(model_, cluster, steady_now_ms());
    take_queues(model_, queues);
    take_jobs(model_, jobs);
    model_.version = std::strtoll(reply.version.c_str(), nullptr, 10);
    model_.complete = true;
    model_.trouble.clear();
  }
  jobs_read_ms_ = steady_now_ms();
  changed_();
}

void TopFeed::read_jobs() {
  const Json jobs = get_json(reader_, kJobs);
  const std::lock_guard lock(mutex_);
  take_jobs(model_, jobs);
}

// False: all is to be read anew.
bool TopFeed::take(const std::string& topic, const std::string& data) {
  if (topic == "bye") return false;
  const Json delta = Json::parse(data, nullptr, false);
  if (!delta.is_object()) return false;
  bool good = true;
  {
    const std::lock_guard lock(mutex_);
    good = take_event(model_, topic, delta, steady_now_ms());
  }
  if (good && topic != "cluster" && steady_now_ms() - jobs_read_ms_ > kReasonsEveryMs) {
    jobs_read_ms_ = steady_now_ms();
    read_jobs();
  }
  changed_();
  return good;
}

void TopFeed::ask(const TopAction& action) {
  const std::lock_guard lock(mutex_);
  if (!wanted_) wanted_ = action;
  wake_.notify_all();
}

std::optional<TopOutcome> TopFeed::take_outcome() {
  const std::lock_guard lock(mutex_);
  std::optional<TopOutcome> outcome = std::move(outcome_);
  outcome_.reset();
  return outcome;
}

void TopFeed::act() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return over_ || wanted_; });
    if (over_) return;
    const TopAction action = *wanted_;
    lock.unlock();
    TopOutcome outcome;
    try {
      outcome = outcome_of(action);
    } catch (const std::exception& trouble) {
      outcome.message = trouble.what();
    }
    lock.lock();
    wanted_.reset();
    outcome_ = std::move(outcome);
    lock.unlock();
    changed_();
    lock.lock();
  }
}

TopOutcome TopFeed::outcome_of(const TopAction& action) {
  const std::string job = fmt::format("/api/v1/jobs/{}", action.job);
  const std::string shown = fmt::format("job_{:04}", action.job);
  HttpAsk ask = {.method = "GET", .target = job, .body = "", .headers = {}};
  if (action.what == TopAction::What::kExplain) {
    const Json told = get_json(doer_, job + "/explain");
    const Json& status = part_of(told, "status");
    TopOutcome outcome;
    outcome.text = {shown + "  " + text_of(status, "name"),
                    fmt::format("{} in queue {}, user {}, priority {}", text_of(status, "state"),
                                text_of(status, "queue"), text_of(status, "user"),
                                text_of(status, "priority")),
                    ""};
    const Json& reasons = part_of(told, "reasons");
    if (!reasons.is_array() || reasons.empty()) {
      outcome.text.emplace_back("Nothing keeps its tasks waiting.");
    } else {
      outcome.text.emplace_back("Why it, or a part of its tasks, waits:");
      for (const Json& reason : reasons) {
        outcome.text.push_back("  " + text_of(reason, "message"));
      }
    }
    outcome.text.insert(outcome.text.end(), {"", "Any other key goes back."});
    return outcome;
  }
  ask.headers = {{"X-Weir-User", user_}, {"Content-Type", "application/json"}};
  if (action.what == TopAction::What::kKill) {
    ask.method = "DELETE";
    ask_json(doer_, ask);
    return {shown + " is killed", {}};
  }
  ask.method = "PATCH";
  const auto patch = [&](const Json& body, const std::string& done) {
    ask.body = body.dump();
    ask_json(doer_, ask);
    return TopOutcome{shown + done, {}};
  };
  if (action.what == TopAction::What::kRelease) return patch({{"held", false}}, " is released");
  if (action.what == TopAction::What::kMove)
    return patch({{"queue", action.value}}, " is in queue " + action.value);
  return patch({{"priority", action.value}}, " has priority " + action.value);
}

}  // namespace weir::live
