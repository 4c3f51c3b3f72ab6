#include "tracker/published/listing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tracker/published/name_pattern.h"
#include "tracker/published/render.h"

namespace weir {
namespace {

bool in_queue(const std::string& queue, const std::string& ancestor) {
  return queue == ancestor || (queue.size() > ancestor.size() && queue.starts_with(ancestor) &&
                               queue[ancestor.size()] == '.');
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

Error unknown_queue(const PublishedViews& views, const std::string& name,
                    const std::vector<const QueueView*>& candidates) {
  std::string known;
  std::size_t listed = 0;
  const auto add = [&](const QueueView& queue) {
    if (++listed <= 20) known += (known.empty() ? "" : ", ") + queue.name;
  };
  if (candidates.empty()) {
    for (const QueueView& queue : *views.queues) add(queue);
  }
  for (const QueueView* queue : candidates) add(*queue);
  return Error{ErrorCode::kUnknownQueue,
               candidates.empty() ? "there is no queue '" + name + "'"
                                  : "'" + name + "' could be several queues",
               "one of: " + known + (listed > 20 ? ", ..." : ""),
               {}};
}

}  // namespace

Error unknown_job(JobId job) {
  return Error{ErrorCode::kUnknownJob,
               "there is no " + job_name(job),
               "see `weir job list`, or `weir job list --history` for those that ended",
               {}};
}

namespace {

// The one of that path, or all whose last part it is.
std::vector<const QueueView*> queues_called(const PublishedViews& views, const std::string& name) {
  std::vector<const QueueView*> candidates;
  for (const QueueView& queue : *views.queues) {
    if (queue.name == name) return {&queue};
    if (last_part(queue.name) == name) candidates.push_back(&queue);
  }
  return candidates;
}

}  // namespace

Result<std::string> queue_of_the_past(const PublishedViews& views, const std::string& name) {
  const auto candidates = queues_called(views, name);
  if (candidates.empty()) return name;
  if (candidates.size() > 1) return unknown_queue(views, name, candidates);
  return candidates.front()->name;
}

Result<const QueueView*> find_queue(const PublishedViews& views, const std::string& name) {
  const auto candidates = queues_called(views, name);
  if (candidates.size() == 1) return candidates.front();
  return unknown_queue(views, name, candidates);
}

namespace {

// All but the queue.
bool fits(const JobView& job, const JobFilter& filter) {
  if (!filter.pool.empty() && !(job.pool && in_queue(*job.pool, filter.pool))) return false;
  if (filter.unfinished_only && job.over()) return false;
  if (!filter.user.empty() && job.user != filter.user) return false;
  const auto& states = filter.states;
  if (!states.empty() && std::find(states.begin(), states.end(), job.state) == states.end())
    return false;
  return filter.name.empty() || matches_pattern(filter.name, job.name);
}

// Those behind `from` in the order wanted, as long as `look` goes on.
void walk(const RecordTable<JobView>& jobs, const JobFilter& filter, const Show<JobView>& look) {
  const std::size_t end = jobs.end();
  if (filter.order != JobFilter::Order::kNewestFirst) {
    for (std::size_t i = filter.from + 1; i < end; ++i) {
      const auto& job = jobs.get(i);
      if (job && !look(*job)) return;
      if (!job && jobs.page_empty(i)) i = jobs.page_end(i) - 1;
    }
    return;
  }
  for (std::size_t i = filter.from == 0 ? end : std::min(filter.from, end); i-- > 0;) {
    const auto& job = jobs.get(i);
    if (job && !look(*job)) return;
    if (!job && jobs.page_empty(i)) i = jobs.page_begin(i);
  }
}

// The path of a queue that is there, or was when a job that is shown ended in it.
Result<std::string> queue_with_jobs(const PublishedViews& views, const std::string& name) {
  const auto path = queue_of_the_past(views, name);
  if (!path) return path.error();
  const auto there = find_queue(views, *path);
  bool any = there.ok();
  const auto look = [&](const JobView& job) {
    any = in_queue(job.queue, *path);
    return !any;
  };
  if (!any) walk(views.jobs, {}, look);
  if (!any) return there.error();
  return *path;
}

}  // namespace

Status each_job(const PublishedViews& views, const JobFilter& filter, const Show<JobView>& show) {
  std::string queue;
  if (!filter.queue.empty()) {
    const auto found = queue_with_jobs(views, filter.queue);
    if (!found) return found.error();
    queue = *found;
  }
  std::size_t shown = 0;
  const auto look = [&](const JobView& job) {
    const bool newest_first = filter.order == JobFilter::Order::kNewestFirst;
    if (job.submitted_at_ms < filter.since_ms) return !newest_first;  // all others are older
    if (!fits(job, filter) || (!queue.empty() && !in_queue(job.queue, queue))) return true;
    return show(job) && ++shown < filter.limit;
  };
  if (filter.limit > 0) walk(views.jobs, filter, look);
  return Ok{};
}

std::vector<AttemptView> with_stored(const PublishedViews& views, std::vector<AttemptView> known,
                                     const std::vector<EndedAttempt>& stored,
                                     const WallClock& wall) {
  std::map<AttemptKey, AttemptView> all;
  for (AttemptView& attempt : known) {
    const AttemptKey id = attempt.id;
    all.emplace(id, std::move(attempt));
  }
  std::map<std::string, std::pair<std::string, std::int32_t>> logs;  // of trackers
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    const auto& tracker = views.trackers.get(i);
    if (!tracker || tracker->view.shuffle_port == 0) continue;
    logs[tracker->view.name] = {tracker->view.host, tracker->view.shuffle_port};
  }
  for (const EndedAttempt& ended : stored) {
    AttemptView attempt = render_attempt(ended, wall);
    if (const auto found = logs.find(attempt.tracker); found != logs.end()) {
      attempt.log_host = found->second.first;
      attempt.log_port = found->second.second;
    }
    const auto [place, added] = all.emplace(ended.attempt, attempt);
    if (!added && place->second.launched_at_ms == 0) place->second = std::move(attempt);
  }
  std::vector<AttemptView> out;
  out.reserve(all.size());
  for (auto& [id, attempt] : all) out.push_back(std::move(attempt));
  return out;
}

UnfinishedJobs unfinished_jobs(const std::vector<QueueView>& queues) {
  UnfinishedJobs jobs;
  for (const QueueView& queue : queues) {
    if (!queue.leaf) continue;  // an inner queue has those of its leaves
    jobs.waiting += queue.jobs_waiting;
    jobs.pending += queue.jobs_pending;
    jobs.running += queue.jobs_running;
  }
  return jobs;
}

Status each_queue(const PublishedViews& views, const std::string& after,
                  const Show<QueueView>& show) {
  const std::vector<QueueView>& queues = *views.queues;
  auto next = queues.begin();
  if (!after.empty()) {
    next = std::find_if(next, queues.end(), [&](const auto& queue) { return queue.name == after; });
    if (next == queues.end()) {
      return Error{ErrorCode::kBusy,
                   "the queues have changed while they were listed: " + after + " is gone",
                   "ask for the first page again",
                   {}};
    }
    ++next;
  }
  while (next != queues.end() && show(*next)) ++next;
  return Ok{};
}

namespace {

TrackerView seen_at(TimeMs now, const TrackerRecord& record, const PublishedViews& views) {
  TrackerView tracker = record.view;
  tracker.last_heartbeat_ms_ago = std::max<TimeMs>(0, now - record.last_heartbeat);
  const bool silent = tracker.last_heartbeat_ms_ago > kSilentIntervals * views.heartbeat_interval;
  if (silent && tracker.state == "LIVE") tracker.state = "SILENT";
  return tracker;
}

}  // namespace

void each_tracker(const PublishedViews& views, TimeMs now, const Show<TrackerView>& show) {
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    const auto& record = views.trackers.get(i);
    if (record && !show(seen_at(now, *record, views))) return;
  }
}

bool takes_tasks(const TrackerView& tracker) {
  return tracker.state == "LIVE";
}

const char* unused_state(const TrackerView& tracker) {
  if (takes_tasks(tracker)) return "free";
  if (tracker.state == "LOST") return "lost";
  return tracker.state == "AWAITED" || tracker.state == "RETURNING" ? "awaited" : "withheld";
}

TrackerCounts count_trackers(const PublishedViews& views, TimeMs now) {
  TrackerCounts counts;
  each_tracker(views, now, [&](const TrackerView& tracker) {
    ++counts.listed;
    if (takes_tasks(tracker)) ++counts.live;
    return true;
  });
  return counts;
}

void each_tracker_by_name(const PublishedViews& views, TimeMs now, const std::string& after,
                          const Show<TrackerView>& show) {
  std::vector<const TrackerRecord*> left;
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    const auto& record = views.trackers.get(i);
    if (record && record->view.name > after) left.push_back(record.get());
  }
  std::sort(left.begin(), left.end(), [](const TrackerRecord* a, const TrackerRecord* b) {
    return a->view.name < b->view.name;
  });
  for (const TrackerRecord* record : left) {
    if (!show(seen_at(now, *record, views))) return;
  }
}

}  // namespace weir
