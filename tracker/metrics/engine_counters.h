// What the JobTracker's engine thread and its store's writer count, from the start on. Written by
// those two threads (engine_loop.cpp), read by any.
#pragma once

#include "jobqueue/model/dimension.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_state.h"
#include "jobqueue/model/terms.h"
#include "tracker/metrics/histogram.h"

namespace weir {

inline constexpr std::size_t kLocalityCount = 3;
inline constexpr std::size_t kKillReasonCount = 13;
inline constexpr std::size_t kJobStateCount = 5;

struct EngineCounters {
  // Of one class of tasks: of maps, of reduces, of applications.
  static constexpr std::size_t kClasses = kTaskKindCount + 1;
  static std::size_t class_of(TaskKind kind) {
    return is_group(kind) ? kTaskKindCount : index(kind);
  }
  struct OfClass {
    Count launches[kLocalityCount];
    Count speculative;  // of the launches
    Count succeeded;    // attempts
    Count failed;
    Count killed;
    Count kills[kKillReasonCount];           // as they were ordered, or as a tracker was lost
    Count wasted_slot_ms[kKillReasonCount];  // what the killed had had
  };
  struct OfDimension {
    Count wasted_ms[kKillReasonCount];  // of containers: amounts, as wasted_slot_ms
    Count claims_opened;
    Count claim_slots_opened;
    Count claim_slots_met;
    Count claim_slots_dropped;
  };

  Histogram heartbeat_seconds{kShortTimes};  // the engine's work on one: decisions, too
  Histogram request_seconds{kShortTimes};    // likewise, on what clients ask
  Histogram wait_seconds{kShortTimes};       // of a heartbeat in the engine's queue
  Histogram publish_seconds{kShortTimes};    // making views of what has changed

  OfClass of[kClasses];
  OfDimension by[kDimensionCount];
  Count jobs_submitted;
  Count jobs_ended[kJobStateCount];       // by state
  Histogram job_wait_seconds{kJobTimes};  // submission to first launch, once a job is over
  Histogram job_run_seconds{kJobTimes};   // first launch to end
  Count commands_refused;
  Count trackers_lost;
  Count settings_changes;
  Count policy_switches;
  Count job_bytes;      // held by descriptions of jobs that go on
  Count recovery_ms;    // from the start until tasks were launched; -1: it goes on

  Histogram store_commit_seconds{kShortTimes};  // of one group, with its sync
  Histogram store_group_size{kSizes};           // events in it
  Count store_failures;                         // groups that could not be written
};

}  // namespace weir
