#include "web/api/event_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "views/json/json.h"
#include "web/api/cluster_json.h"

namespace weir::web {
namespace {

std::string event_text(const std::string& topic, const std::string& data) {
  return "event: " + topic + "\ndata: " + data + "\n";
}

SharedText shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string id_line(std::int64_t version) {
  return fmt::format("id: {}\n", version);
}

// {"version": N, "changed": [...], "removed": [...]}, on one line: a stream's lines are events.
class Delta {
 public:
  explicit Delta(std::int64_t version)
      : text_(fmt::format("{{\"version\":{},\"changed\":[", version)) {}
  void add(const Json& view) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += json_line(view);
  }
  std::string end(const Json& removed) {
    return text_ + "],\"removed\":" + json_line(removed) + "}";
  }

 private:
  std::string text_;
  bool first_ = true;
};

SharedText the_end() {
  return shared(event_text("bye", R"({"reason":"the JobTracker ends"})") + "\n");
}

std::string many_text(std::int64_t version) {
  return fmt::format("{{\"version\":{},\"many\":true}}", version);
}

std::string jobs_text(const ViewChanges& changes) {
  const std::int64_t version = changes.after->version;
  if (changes.many_jobs) return many_text(version);
  Delta delta(version);
  for (const auto& job : changes.jobs) delta.add(to_json(*job));
  Json removed = Json::array();
  for (const JobId job : changes.jobs_removed) removed.push_back(job.value);
  return delta.end(removed);
}

std::string trackers_text(const ViewChanges& changes) {
  const std::int64_t version = changes.after->version;
  if (changes.many_trackers) return many_text(version);
  Delta delta(version);
  for (const auto& tracker : changes.trackers) delta.add(to_json(tracker->view));
  return delta.end(changes.trackers_removed);
}

std::string queues_text(const ViewChanges& changes) {
  const std::int64_t version = changes.after->version;
  if (changes.queues_reordered) return many_text(version);
  Delta delta(version);
  for (const QueueView* queue : changes.queues) delta.add(to_json(*queue));
  return delta.end(changes.queues_removed);
}

std::string one_text(std::int64_t version, const Json& view) {
  Delta delta(version);
  delta.add(view);
  return delta.end(Json::array());
}

std::vector<ChangeBatch::Part> encode(const ViewChanges& changes, const EngineLoop& loop) {
  const WallClock& wall = loop.time().wall();
  std::vector<ChangeBatch::Part> parts;
  const PublishedViews& after = *changes.after;
  const auto add = [&](const std::string& topic, const std::string& data) {
    parts.push_back({topic, event_text(topic, data)});
  };
  if (!changes.queues.empty() || !changes.queues_removed.empty() || changes.queues_reordered)
    add("queues", queues_text(changes));
  if (!changes.jobs.empty() || !changes.jobs_removed.empty() || changes.many_jobs)
    add("jobs", jobs_text(changes));
  if (!changes.trackers.empty() || !changes.trackers_removed.empty() || changes.many_trackers)
    add("trackers", trackers_text(changes));
  if (changes.policy)
    add("policy", one_text(after.version, {{"current", after.policy},
                                           {"since_ms", after.policy_since}}));
  if (changes.settings) {
    const SettingsStamp& stamp = after.settings_stamp;
    add("settings", one_text(after.version, {{"number", stamp.number},
                                             {"at_ms", wall.at(stamp.at)},
                                             {"by", stamp.by},
                                             {"name", after.settings->source}}));
  }
  if (changes.cluster || !changes.queues.empty() || !changes.trackers.empty())
    add("cluster", one_text(after.version, cluster_json(after, loop)));
  return parts;
}

// A stream that names jobs: those of them that are not what they were.
std::string named_jobs_text(const ViewChanges& changes, const std::vector<JobId>& jobs) {
  Delta delta(changes.after->version);
  Json removed = Json::array();
  bool any = false;
  for (const JobId job : jobs) {
    const auto before = changes.before->jobs.get(job.index());
    const auto after = changes.after->jobs.get(job.index());
    if (before == after) continue;
    any = true;
    if (after) {
      delta.add(to_json(*after));
    } else {
      removed.push_back(job.value);
    }
  }
  return any ? event_text("jobs", delta.end(removed)) : "";
}

}  // namespace

// One stream, as the feed sees it.
class EventStreams::Listener {
 public:
  Listener(StreamWish wish, std::shared_ptr<EventStream> stream)
      : wish(std::move(wish)), stream(std::move(stream)) {}
  const StreamWish wish;
  const std::shared_ptr<EventStream> stream;
  std::atomic<std::uint64_t> token{0};
  std::mutex order;  // held until what was missed is sent
};

struct EventStreams::Made {
  ChangeBatchPtr batch;
  std::map<std::set<std::string>, SharedText> texts;  // by topics
};

const std::vector<std::string>& EventStreams::topics() {
  static const std::vector<std::string> all = {"queues",   "jobs",    "trackers",
                                               "policy",   "settings", "cluster"};
  return all;
}

EventStreams::EventStreams(JobTracker& tracker)
    : tracker_(tracker),
      made_(std::make_shared<Made>()),
      feed_(std::make_unique<ChangeFeed>(tracker.loop().views(),
                                         [&loop = tracker.loop()](const ViewChanges& changes) {
                                           return encode(changes, loop);
                                         })) {}

EventStreams::~EventStreams() {
  stop();
}

// The parts that are wished, and at the last of them the version: who has that has seen them all.
SharedText EventStreams::text_for(const ChangeBatchPtr& batch, const StreamWish& wish) {
  const std::lock_guard lock(mutex_);
  if (made_->batch != batch) *made_ = Made{batch, {}};
  SharedText& text = made_->texts[wish.topics];
  if (text) return text;
  std::string all;
  for (const ChangeBatch::Part& part : batch->parts) {
    if (!wish.topics.empty() && wish.topics.count(part.topic) == 0) continue;
    if (!all.empty()) all += "\n";
    all += part.text;
  }
  if (!all.empty()) all += id_line(batch->version) + "\n";
  return text = shared(std::move(all));
}

void EventStreams::open(StreamWish wish, const HttpResponder& responder) {
  const std::string too_slow =
      event_text("bye", R"({"reason":"this reader is too slow; it may come back"})") + "\n";
  auto stream = responder.stream({.too_slow = shared(too_slow)});
  if (!stream) return;
  // What names jobs is told of the others' topics as everybody, and of jobs by itself.
  StreamWish others = wish;
  if (!wish.jobs.empty()) {
    if (others.topics.empty()) others.topics.insert(topics().begin(), topics().end());
    others.topics.erase("jobs");
    others.topics.insert("");  // none is no longer all
  }
  const auto listener = std::make_shared<Listener>(std::move(others), stream);
  // Before the first text, so that who has read any is told of the end.
  if (!add(listener)) return stream->finish(the_end());
  stream->send(shared("retry: 2000\n\n"));
  const auto seen = wish.seen;
  const std::lock_guard in_order(listener->order);
  const auto subscription = feed_->subscribe(
      seen, [this, listener](const ChangeBatchPtr& batch, const ViewChanges& changes) {
        const std::lock_guard in_order(listener->order);
        std::string named = named_jobs_text(changes, listener->wish.jobs);
        bool goes_on = listener->stream->send(text_for(batch, listener->wish));
        if (goes_on && !named.empty())
          goes_on = listener->stream->send(shared(named + id_line(batch->version) + "\n"));
        if (!goes_on) feed_->unsubscribe(listener->token);
      });
  listener->token = subscription.token;
  std::string first = id_line(subscription.version) + "\n";
  if (subscription.reload || (seen && !wish.jobs.empty())) {
    first = event_text("reload", fmt::format("{{\"version\":{}}}", subscription.version)) + first;
  } else {
    for (const ChangeBatchPtr& batch : subscription.missed)
      stream->send(text_for(batch, listener->wish));
  }
  stream->send(shared(std::move(first)));
}

// False when no stream is opened any more.
bool EventStreams::add(const std::shared_ptr<Listener>& listener) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& entry) {
    const auto known = entry.lock();
    return !known || known->stream->over();
  });
  if (!stopped_) listeners_.push_back(listener);
  return !stopped_;
}

void EventStreams::stop() {
  feed_->stop();
  std::vector<std::weak_ptr<Listener>> listeners;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    listeners.swap(listeners_);
  }
  const SharedText bye = the_end();
  for (const auto& entry : listeners) {
    if (const auto listener = entry.lock()) listener->stream->finish(bye);
  }
}

}  // namespace weir::web
