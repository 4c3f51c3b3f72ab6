#include "tracker/jobtracker/listing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "thrift/wire_job.h"
#include "tracker/jobtracker/name_pattern.h"
#include "tracker/jobtracker/page.h"

namespace weir {
namespace {

bool is_over(const std::string& state) {
  return state != "HELD" && state != "WAITING" && state != "PENDING" && state != "RUNNING";
}

bool in_queue(const std::string& queue, const std::string& ancestor) {
  return queue == ancestor || (queue.size() > ancestor.size() && queue.starts_with(ancestor) &&
                               queue[ancestor.size()] == '.');
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

Error unknown_queue(const BoardView& view, const std::string& name,
                    const std::vector<const wire::QueueStatus*>& candidates) {
  std::string known;
  std::size_t listed = 0;
  const auto add = [&](const wire::QueueStatus& queue) {
    if (++listed <= 20) known += (known.empty() ? "" : ", ") + queue.name;
  };
  if (candidates.empty()) {
    for (const wire::QueueStatus& queue : *view.queues) add(queue);
  }
  for (const wire::QueueStatus* queue : candidates) add(*queue);
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
std::vector<const wire::QueueStatus*> queues_called(const BoardView& view,
                                                    const std::string& name) {
  std::vector<const wire::QueueStatus*> candidates;
  for (const wire::QueueStatus& queue : *view.queues) {
    if (queue.name == name) return {&queue};
    if (last_part(queue.name) == name) candidates.push_back(&queue);
  }
  return candidates;
}

}  // namespace

Result<std::string> queue_of_the_past(const BoardView& view, const std::string& name) {
  const auto candidates = queues_called(view, name);
  if (candidates.empty()) return name;
  if (candidates.size() > 1) return unknown_queue(view, name, candidates);
  return candidates.front()->name;
}

Result<const wire::QueueStatus*> find_queue(const BoardView& view, const std::string& name) {
  const auto candidates = queues_called(view, name);
  if (candidates.size() == 1) return candidates.front();
  return unknown_queue(view, name, candidates);
}

namespace {

// All but the queue.
bool fits(const wire::JobStatus& job, const JobFilter& filter) {
  if (filter.unfinished_only && is_over(job.state)) return false;
  if (!filter.user.empty() && job.user != filter.user) return false;
  const auto& states = filter.states;
  if (!states.empty() && std::find(states.begin(), states.end(), job.state) == states.end())
    return false;
  return filter.name.empty() || matches_pattern(filter.name, job.name);
}

}  // namespace

Result<std::vector<wire::JobStatus>> list_jobs_of(const BoardView& view, const JobFilter& filter) {
  std::string queue;
  if (!filter.queue.empty()) {
    const auto found = find_queue(view, filter.queue);
    if (!found) return found.error();
    queue = (*found)->name;
  }
  std::vector<wire::JobStatus> all;
  Page<wire::JobStatus> page;
  const std::size_t before = filter.before.value_or(0);
  std::size_t i = before == 0 ? view.jobs.end() : std::min(before, view.jobs.end());
  while (i-- > 0 && all.size() + page.size() < filter.limit) {
    if (view.jobs.page_empty(i)) {
      i = view.jobs.page_begin(i);
      continue;
    }
    const auto& record = view.jobs.get(i);
    if (!record || !fits(*record, filter)) continue;
    if (!queue.empty() && !in_queue(record->queue, queue)) continue;
    wire::JobStatus job = *record;
    job.counters.clear();  // job_status has them; a list of thousands must fit a frame
    job.__isset.counters = false;
    if (!filter.before) {
      all.push_back(std::move(job));
    } else if (!page.add(std::move(job))) {
      break;
    }
  }
  return filter.before ? page.take() : std::move(all);
}

std::vector<wire::AttemptInfo> with_stored(const BoardView& view,
                                           std::vector<wire::AttemptInfo> known,
                                           const std::vector<EndedAttempt>& stored,
                                           const WallClock& wall) {
  std::map<AttemptKey, wire::AttemptInfo> all;
  for (wire::AttemptInfo& info : known) {
    const AttemptKey key = *from_wire(info.id);
    all.emplace(key, std::move(info));
  }
  std::map<std::string, std::pair<std::string, std::int32_t>> logs;  // of trackers
  for (std::size_t i = 0; i < view.trackers.end(); ++i) {
    const auto& tracker = view.trackers.get(i);
    if (!tracker || tracker->status.shuffle_port == 0) continue;
    logs[tracker->status.name] = {tracker->status.host, tracker->status.shuffle_port};
  }
  for (const EndedAttempt& attempt : stored) {
    wire::AttemptInfo info = render_attempt(attempt, wall);
    if (const auto found = logs.find(info.tracker); found != logs.end()) {
      info.__set_log_host(found->second.first);
      info.__set_log_port(found->second.second);
    }
    const auto [place, added] = all.emplace(attempt.attempt, info);
    if (!added && place->second.launched_at_ms == 0) place->second = std::move(info);
  }
  std::vector<wire::AttemptInfo> out;
  out.reserve(all.size());
  for (auto& [key, info] : all) out.push_back(std::move(info));
  return out;
}

namespace {

wire::TrackerStatus status_of(const TrackerRecord& record, const BoardView& view, TimeMs now) {
  wire::TrackerStatus status = record.status;
  status.last_heartbeat_ms_ago = std::max<TimeMs>(0, now - record.last_heartbeat);
  const bool silent = status.last_heartbeat_ms_ago > kSilentIntervals * view.heartbeat_interval;
  if (silent && status.state == "LIVE") status.state = "SILENT";
  return status;
}

}  // namespace

std::vector<wire::TrackerStatus> list_trackers_of(const BoardView& view, TimeMs now) {
  std::vector<wire::TrackerStatus> out;
  for (std::size_t i = 0; i < view.trackers.end(); ++i) {
    const auto& record = view.trackers.get(i);
    if (record) out.push_back(status_of(*record, view, now));
  }
  return out;
}

Result<std::vector<wire::QueueStatus>> page_of_queues(const BoardView& view,
                                                      const std::string& after) {
  auto next = view.queues->begin();
  if (!after.empty()) {
    next = std::find_if(next, view.queues->end(), [&](const auto& q) { return q.name == after; });
    if (next == view.queues->end()) {
      return Error{ErrorCode::kBusy,
                   "the queues have changed while they were listed: " + after + " is gone",
                   "ask for the first page again",
                   {}};
    }
    ++next;
  }
  Page<wire::QueueStatus> page;
  while (next != view.queues->end() && page.add(*next)) ++next;
  return page.take();
}

std::vector<wire::TrackerStatus> page_of_trackers(const BoardView& view, TimeMs now,
                                                  const std::string& after) {
  std::vector<const TrackerRecord*> left;
  for (std::size_t i = 0; i < view.trackers.end(); ++i) {
    const auto& record = view.trackers.get(i);
    if (record && record->status.name > after) left.push_back(record.get());
  }
  std::sort(left.begin(), left.end(), [](const TrackerRecord* a, const TrackerRecord* b) {
    return a->status.name < b->status.name;
  });
  Page<wire::TrackerStatus> page;
  for (const TrackerRecord* record : left) {
    if (!page.add(status_of(*record, view, now))) break;
  }
  return page.take();
}

}  // namespace weir
