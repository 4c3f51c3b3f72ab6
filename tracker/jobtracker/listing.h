// Reads over one published view: lists with filters, a queue by path or last part. Pure functions,
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/jobtracker/board.h"

namespace weir {

struct JobFilter {
  std::string queue;  // empty: all; an inner queue means all below it
  std::string user;   // empty: all
  std::string name;   // a pattern (name_pattern.h); empty: all
  std::vector<std::string> states;  // any of these; none: all
  bool unfinished_only = false;
  std::size_t limit = 0;
  std::optional<std::size_t> before;  // a page (page.h): those below this number; 0: the first one
};
// Newest first, without counters.
Result<std::vector<wire::JobStatus>> list_jobs_of(const BoardView& view, const JobFilter& filter);

// By dotted path, or by a last part that only one queue has. The error says what there is.
Result<const wire::QueueStatus*> find_queue(const BoardView& view, const std::string& name);

// For jobs of the past: a queue that is there goes by its path, any other name stands for itself.
Result<std::string> queue_of_the_past(const BoardView& view, const std::string& name);

// With the place of their logs, where the tracker is still there.
// What the store knows of a job's attempts, added to what the engine knows; by task and attempt.
std::vector<wire::AttemptInfo> with_stored(const BoardView& view,
                                           std::vector<wire::AttemptInfo> known,
                                           const std::vector<EndedAttempt>& stored,
                                           const WallClock& wall);

std::vector<wire::TrackerStatus> list_trackers_of(const BoardView& view, TimeMs now);

// Pages of all queues and trackers: the former in their order, the latter by name.
Result<std::vector<wire::QueueStatus>> page_of_queues(const BoardView& view,
                                                      const std::string& after);
std::vector<wire::TrackerStatus> page_of_trackers(const BoardView& view, TimeMs now,
                                                  const std::string& after);

Error unknown_job(JobId job);

}  // namespace weir
