// The tracker's side of the protocol (input.h), for stories in which no TaskTracker runs: what it
// holds, how it takes on what a reply says, how an attempt ends. The same for the random stories
// and the harness of the unit tests; trackers under faults have the TaskTracker's own core. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "jobqueue/model/input.h"
#include "jobqueue/model/job.h"

namespace weir {

struct TrackerSide {
  std::int64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::map<AttemptKey, AttemptReport> held;
  std::vector<DutyReport> duties;  // done, to be told

  // Returns what was launched and is new to it.
  std::vector<TaskKey> obey(const HeartbeatReply& reply);
};

// What an attempt reports when its work is done: one that publishes asks first.
ReportedState state_when_done(const Job* job, const TaskKey& task);

}  // namespace weir
