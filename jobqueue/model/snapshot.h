// What the store gives back at a start: everything that was promised before. The engine is rebuilt
// from it; attempts that were running are not in it, they are re-adopted when their trackers
// report.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/event.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/time.h"

namespace weir {

struct JobSnapshot {
  struct DoneTask {
    TaskKind kind = TaskKind::kMap;
    std::uint32_t index = 0;
    std::uint32_t attempt = 0;
    std::string tracker;  // where the map output is
    std::int64_t incarnation = 0;
    std::shared_ptr<const Counters> counters;  // may be null
    TimeMs launched_at = 0;                    // 0: not known
  };
  struct Failures {
    TaskKind kind = TaskKind::kMap;
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    TimeMs launched_at = 0;  // the first of them; 0: not known
  };
  struct Killed {  // attempts of a kind
    TaskKind kind = TaskKind::kMap;
    std::uint32_t count = 0;
    TimeMs launched_at = 0;  // the first of them
  };
  struct Rest {  // the last of a service's task
    TaskKey task;
    DurationMs pause_ms = 0;
    TimeMs until = 0;
  };
  struct Commit {  // granted, not known to be done
    AttemptKey attempt;
    std::string tracker;
  };

  JobId job;
  std::shared_ptr<const JobSpec> spec;
  std::string queue;  // dotted path
  std::string pool;   // that it was moved into, or empty
  Priority priority = Priority::kNormal;
  TimeMs submitted_at = 0;
  TimeMs finished_at = 0;  // 0: not over
  JobState state = JobState::kRunning;
  bool kill_requested = false;
  bool released = false;  // it was submitted held, and may start
  TimeMs deadline = 0;    // of its time limit; 0: none, or no task has started
  bool cleanup = false;  // over, and its files are still to be removed
  std::vector<Resources> containers;  // of one task of each kind, if it was accepted with them
  std::string diagnostics;
  std::shared_ptr<const JobRecord> record;  // over: what history has of it; may be null
  std::vector<DoneTask> done;
  std::vector<Failures> failures;
  std::vector<Killed> killed;
  std::vector<Commit> commits;
  std::vector<Rest> rests;
};

struct ClaimSnapshot {  // a claim that was open
  std::uint64_t claim = 0;
  std::string queue;
  Dimension dimension;
  std::int64_t slots = 0;
  TimeMs born = 0;
};

struct TrackerSnapshot {  // a tracker that counted in the totals
  std::string name;
  Resources total;
  std::map<std::string, std::int64_t> named;
};

struct LostTrackerSnapshot {
  std::string name;
  std::string why;
  std::string host;
  std::string rack;
  TimeMs last_heartbeat = 0;
};

struct TrackerOrderSnapshot {  // a drain, or a stop that is not over
  std::string name;
  TrackerOrder order = TrackerOrder::kDrain;
  std::int64_t incarnation = 0;  // that it is for
  TimeMs at = 0;
  std::string by;
  std::string reason;
  bool drains = false;  // as TrackerState::drains
};

struct TrackerFaultSnapshot {
  std::string name;
  std::int64_t incarnation = 0;
  TimeMs at = 0;
};

struct Downtime {  // of the JobTracker: at this moment of engine time that stood still
  TimeMs at = 0;
  DurationMs ms = 0;
};

struct Snapshot {
  TimeMs last_time = 0;  // engine time goes on from here
  std::vector<Downtime> downtimes;  // oldest first
  std::uint64_t last_seq = 0;
  std::uint32_t epoch = 0;  // counts starts; part of attempt numbers, so that they never repeat
  std::uint32_t next_job = 1;
  std::string policy;         // empty: as the settings say
  std::string settings_text;  // empty: none applied yet
  std::string settings_source;
  std::string settings_file_hash;  // of the file as last read, see conf
  SettingsStamp settings_stamp;
  std::uint64_t last_settings_number = 0;  // of the history of settings
  TimeMs policy_since = 0;         // when `policy` began to rule; 0: not known
  std::string claims_policy;       // whose claims stand still under it; empty: none, or not known
  std::vector<std::string> stopped_queues;
  std::uint64_t next_claim = 1;
  std::vector<ClaimSnapshot> claims;                 // by number
  std::vector<KillLoss> kill_losses;                 // of the last hour, oldest first
  std::vector<TrackerSnapshot> trackers;             // by name
  std::vector<LostTrackerSnapshot> lost_trackers;    // likewise, those that nobody has forgotten
  std::vector<TrackerOrderSnapshot> tracker_orders;  // by name
  std::vector<TrackerFaultSnapshot> tracker_faults;  // by name, oldest first
  std::vector<JobSnapshot> jobs;                     // by id
};

}  // namespace weir
