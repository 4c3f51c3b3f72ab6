// A job and its tasks as the engine sees them. Values and indexes, no pointers between them. A
// job's tasks are made when it is admitted to run, so a waiting job costs no memory for each task.
// All changes go through ClusterState.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/counters.h"
#include "jobqueue/model/gang.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/job_state.h"
#include "jobqueue/model/locality.h"
#include "jobqueue/model/size_table.h"
#include "jobqueue/model/task_set.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"

namespace weir {

struct Task {
  enum class State : std::uint8_t { kPending, kRunning, kSucceeded };
  State state = State::kPending;
  std::uint8_t failures = 0;
  std::uint8_t preempted = 0;   // attempts killed for another queue
  bool commit_granted = false;  // to commit_attempt; nobody else may publish
  bool counted = false;         // its counters are in the job\'s; a map that runs again adds none
  std::uint16_t next_attempt = 0;  // within this start of the JobTracker
  AttemptSlot attempt;             // the first live one, running or dying; the others follow it
  TrackerId where;                 // succeeded maps: who serves the output
  std::uint32_t done_attempt = 0;  // succeeded: which attempt
  std::uint32_t commit_attempt = 0;
};

// Running tasks with one attempt that has run long enough for a second one to be thought of, the
// least progress first: (progress in millionths, task).
using AgedTasks = std::set<std::pair<std::int32_t, std::uint32_t>>;

// Speculative attempts since the start of the JobTracker. Those neither won nor lost still run.
struct SpeculativeCounts {
  std::uint32_t launched = 0;
  std::uint32_t won = 0;   // it was the one that succeeded
  std::uint32_t lost = 0;  // any other end
};

// The maps or the reduces of a job, or one of the groups that an application names.
struct TaskGroup {
  std::vector<Task> tasks;
  const Size* size = nullptr;  // of one task; set while the job is in the state
  TaskSet fresh;      // pending, never failed: lowest index first
  TaskSet retries;    // pending, failed before: served first, elsewhere
  bool open = false;  // tasks may start, as far as the job's type goes; stays so
  std::uint32_t total = 0;
  std::uint32_t running = 0;  // attempts in RUN
  std::uint32_t dying = 0;    // tasks whose attempts are all ordered to die: wanted again soon
  std::uint32_t succeeded = 0;
  std::int64_t running_progress_millionths = 0;  // sum over running tasks, of the foremost attempt
  std::uint32_t failed_attempts = 0;
  std::uint32_t killed_attempts = 0;
  SpeculativeCounts speculative;
  std::unique_ptr<AgedTasks> aged;  // null: there are none
  std::uint32_t copying = 0;        // reduces, not in RUN: they copy their input without a slot
  std::uint32_t copied = 0;         // reduces, not in RUN: they have copied and wait for a slot
  std::uint32_t pending() const { return fresh.size() + retries.size(); }
  // Launched, and not dying.
  std::uint32_t alive() const { return running + copying + copied; }
};

// One line of the list that reducers follow to find the maps' outputs.
struct MapCompletion {
  std::uint32_t map = 0;
  std::uint32_t attempt = 0;
  TrackerId tracker;
  bool obsolete = false;
};

// The order of jobs within a leaf: priority (if it counts there), submit time, id.
struct JobOrder {
  Priority priority;
  TimeMs submitted_at;
  JobId id;
  friend auto operator<=>(const JobOrder&, const JobOrder&) = default;
};

// How long a suspect keeps those of other jobs from its tracker.
inline constexpr DurationMs kSuspectMs = 60'000;

class JobType;

struct alignas(64) Job {
  // The last duty: publish _SUCCESS or clean up, given to one tracker at a time.
  enum class Duty : std::uint8_t { kNone, kSucceed, kAbort };

  // What every launch and every end looks at comes first and lies together.
  JobId id;
  QueueId queue;
  UserId user;
  Priority priority = Priority::kNormal;
  JobState state = JobState::kWaiting;
  bool durable = false;  // until then nobody but the engine knows it
  Duty duty = Duty::kNone;
  bool has_failures = false;                         // failed_on or tracker_failures say something
  bool may_have_written = false;                     // before the JobTracker was started
  mutable bool has_locations = false;                // `locality` does
  bool speculates[kTaskKindCount] = {false, false};  // by the settings, or its own word
  bool held = false;                                 // waits to be released: in no line for a place
  bool limited = false;                              // it has a time limit
  bool service = false;                              // so says its spec, which lies far from here
  std::uint8_t groups = 0;                           // in `further`, which lies far from here
  // Reduces of it stood in the way of its maps: none starts before a map has. And whether maps of
  // it are watched that wait while reduces run.
  bool maps_first = false;
  bool maps_watched = false;
  std::uint32_t live_attempts = 0;                   // running or dying
  TimeMs started_at = 0;                             // first launch; 0 = none yet
  mutable std::uint64_t locality_version = 0;  // of the trackers' addresses that `locality` knows
  const JobType* type = nullptr;               // set before it is added to the state
  std::shared_ptr<const JobSpec> spec;         // of a job that is over and done with: brief()
  TaskGroup group[kTaskKindCount];
  // Of an application, which has none of the two; last, if it has a gang, that as one task.
  std::vector<TaskGroup> further;

  TimeMs submitted_at = 0;
  TimeMs finished_at = 0;
  TimeMs deadline = 0;        // of its time limit; 0: none, or no task has started
  std::uint64_t end_seq = 0;  // of the JobStateChanged that ended it: over for readers once durable
  std::vector<MapCompletion> map_log;
  // A cache of where the splits lie, made when somebody asks (placement.cpp): to make all of them
  // when a tracker comes would cost jobs times splits, for jobs that may never be looked at again.
  mutable LocalityIndex locality;
  Counters counters;
  // What one task of each kind takes, in their order, as it was fixed when the job was accepted;
  // empty: it was where slots count.
  std::vector<Resources> containers;
  std::unique_ptr<Gang> gang;  // null: it has none
  std::string pool;  // that it was moved into; empty: what its properties and queue give
  std::string diagnostics;
  std::string status_line;
  TrackerId duty_tracker;
  std::vector<TrackerId> duty_given;  // who were given the last duty, and may still be at it
  TimeMs duty_passed_at = 0;          // when it was taken from one of them
  TimeMs maps_wait_since = 0;         // where containers count, while reduces run; 0: none does
  std::string duty_trouble;           // why
  std::int64_t spec_bytes = 0;        // as counted (job_bytes.h); 0: not, or no longer

  // Small and rare, so maps do: where tasks failed, how often trackers failed this job, who could
  // not fetch what.
  std::map<std::pair<TaskKind, std::uint32_t>, std::vector<TrackerId>> failed_on;
  std::map<TrackerId, std::uint32_t> tracker_failures;
  std::map<std::uint32_t, std::vector<AttemptKey>> fetch_failures;
  // How many attempts of a task were lost with their trackers.
  std::map<std::pair<TaskKind, std::uint32_t>, std::uint32_t> losses;

  TaskGroup& tasks(TaskKind kind) {
    if (is_group(kind)) [[unlikely]] return further[group_number(kind)];
    return group[index(kind)];
  }
  const TaskGroup& tasks(TaskKind kind) const {
    if (is_group(kind)) [[unlikely]] return further[group_number(kind)];
    return group[index(kind)];
  }
  TaskKinds kinds() const {
    return groups == 0 ? TaskKinds(TaskKind::kMap, kTaskKindCount)
                       : TaskKinds(TaskKind::kFirstGroup, groups);
  }
  // These, and its gang as one of them.
  TaskKinds items() const {
    return gang == nullptr ? kinds() : TaskKinds(TaskKind::kFirstGroup, groups + 1u);
  }
  TaskKind gang_kind() const { return group_kind(groups); }
  bool is_gang(TaskKind kind) const {
    return is_group(kind) && group_number(kind) == groups && gang != nullptr;
  }
  bool has_gang() const { return groups > 0 && gang != nullptr; }
  bool waits_for_gang_start() const { return gang != nullptr && !gang->started; }
  // A task of the group waits for the gang to start.
  bool waits_for_gang(TaskKind kind) const {
    return is_group(kind) && group_number(kind) < groups && waits_for_gang_start() &&
           spec->task_groups[group_number(kind)].gang > 0;
  }
  bool has(TaskKind kind) const {
    return is_group(kind) ? group_number(kind) < groups : groups == 0;
  }
  const Size& size(TaskKind kind) const { return *tasks(kind).size; }
  const Resources& need(TaskKind kind) const { return size(kind).need; }
  // After which an attempt has failed for good; 0: none.
  DurationMs time_limit_ms(TaskKind kind) const {
    if (!is_group(kind) || is_gang(kind)) return 0;
    return spec->task_groups[group_number(kind)].time_limit_ms;
  }
  // Whether its group asks more of a tracker than room.
  bool picky(TaskKind kind) const {
    if (!is_group(kind)) return false;
    if (is_gang(kind)) return true;
    const TaskGroupSpec& group = spec->task_groups[group_number(kind)];
    return !group.require.empty() || group.spread || group.ports > 0;
  }
  // Slots of one task; of a container none.
  std::int64_t width(TaskKind kind) const { return is_group(kind) ? 0 : need(kind).slots(kind); }
  bool speculates_in(TaskKind kind) const { return !is_group(kind) && speculates[index(kind)]; }
  // Its tasks may be launched, and none has been.
  bool pending() const { return state == JobState::kRunning && started_at == 0; }
  bool schedulable() const { return durable && state == JobState::kRunning && duty == Duty::kNone; }
  // Of a job that has been at work: nothing of it is left to run.
  bool all_done() const;
  // Tasks that could be launched now, before anyone looks at trackers or limits.
  std::uint32_t launchable(TaskKind kind) const {
    return schedulable() && tasks(kind).open ? tasks(kind).pending() : 0;
  }
  // Whether a tracker that failed this job often is passed over for it (4 failures).
  bool avoids(TrackerId tracker) const;
  // It was lost with its tracker more than once: that may be its doing.
  bool is_suspect(TaskKind kind, std::uint32_t task) const {
    const auto found = losses.find({kind, task});
    return found != losses.end() && found->second > 1;
  }
};

inline constexpr std::uint32_t kTrackerFailuresPerJob = 4;

// As its user knows it: task_0007_m_000012, or main.12.
std::string task_title(const Job& job, const TaskKey& task);

// What an output says of the job that it is of: `job_0007 1732163138000`. Numbers alone could be
// given again after a store was restored.
std::string output_owner(const Job& job);

}  // namespace weir
