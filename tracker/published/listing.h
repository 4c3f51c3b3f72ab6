// Reads over one set of published views: lists with filters, a queue by path or last part. Who
// reads is shown one record after the other and says when it has enough, so that no list is made of
// which only a page is wanted. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "jobqueue/model/result.h"
#include "jobqueue/store/history.h"
#include "tracker/published/published_views.h"
#include "tracker/published/wall_clock.h"
#include "views/attempt_view.h"

namespace weir {

// False: no more.
template <class View>
using Show = std::function<bool(const View&)>;

struct JobFilter {
  std::string queue;                // empty: all; an inner queue means all below it
  std::string pool;                 // likewise; jobs that are over are in none
  std::string user;                 // empty: all
  std::string name;                 // a pattern (name_pattern.h); empty: all
  std::vector<std::string> states;  // any of these; none: all
  bool unfinished_only = false;
  std::int64_t since_ms = 0;  // submitted then or later, by the wall clock
  std::size_t limit = 0;
  // kService: as the ruling policy serves them, which only JobService knows; here oldest first.
  enum class Order { kNewestFirst, kOldestFirst, kService } order = Order::kNewestFirst;
  TaskKind served = TaskKind::kMap;  // kService: with slots of this class
  std::size_t from = 0;        // those that come after the job of this number; 0: from the first on
  std::size_t page_bytes = 0;  // a page ends when it has as many; 0: only the limit ends it
};
// In that order, which is the one of their numbers, until `show` has enough. Goes over as many jobs
// as lie before those that fit; `since_ms` with the newest first ends where older ones begin.
Status each_job(const PublishedViews& views, const JobFilter& filter, const Show<JobView>& show);

// All queues in their order, those behind `after` (empty: from the first on), which must be there.
Status each_queue(const PublishedViews& views, const std::string& after,
                  const Show<QueueView>& show);

// Unfinished jobs of all queues.
struct UnfinishedJobs {
  std::int64_t waiting = 0;  // held, or over a limit on running jobs
  std::int64_t pending = 0;  // none of its tasks has started
  std::int64_t running = 0;
};
UnfinishedJobs unfinished_jobs(const std::vector<QueueView>& queues);

// As they are at `now`; by number, or by name those behind `after`.
void each_tracker(const PublishedViews& views, TimeMs now, const Show<TrackerView>& show);
void each_tracker_by_name(const PublishedViews& views, TimeMs now, const std::string& after,
                          const Show<TrackerView>& show);

// The same trackers counted, so that no figure says other than the list.
struct TrackerCounts {
  std::int64_t listed = 0;
  std::int64_t live = 0;  // those that take tasks
};
TrackerCounts count_trackers(const PublishedViews& views, TimeMs now);
// It is LIVE: of the others, one that is SILENT might be given some, but does not ask.
bool takes_tasks(const TrackerView& tracker);
// What of it no attempt has is "free", "withheld" (it takes no tasks, or is silent), "lost" or
// "awaited".
const char* unused_state(const TrackerView& tracker);

// By dotted path, or by a last part that only one queue has. The error says what there is.
Result<const QueueView*> find_queue(const PublishedViews& views, const std::string& name);

// For jobs of the past: a queue that is there goes by its path, any other name stands for itself.
Result<std::string> queue_of_the_past(const PublishedViews& views, const std::string& name);

// What the store knows of a job's attempts, added to what the engine knows; by task and attempt.
// With the place of their logs, where the tracker is still there.
std::vector<AttemptView> with_stored(const PublishedViews& views, std::vector<AttemptView> known,
                                     const std::vector<EndedAttempt>& stored,
                                     const WallClock& wall);

Error unknown_job(JobId job);

}  // namespace weir
