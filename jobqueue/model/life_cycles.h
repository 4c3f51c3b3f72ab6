// The life cycles of what there is: jobs, tasks, attempts, the slots of reduces that copy, last
// duties, trackers, claims. Each is a table of the changes that may happen (life_cycle.h), which
// whoever makes one asks: ClusterState and ClaimBook, and of duties the engine's Duties. What the
// states mean is told, with pictures of these tables, in docs/life-cycles.md.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/job.h"
#include "jobqueue/model/life_cycle.h"
#include "jobqueue/model/tracker_state.h"

namespace weir {

// --- Jobs, as users see them ---

enum class JobStage : std::uint8_t {
  kSubmitted,
  kHeld,
  kWaiting,
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
  kKilled,
};
const char* name(JobStage stage);
JobStage stage_of(const Job& job);

namespace life {
struct JobRows {
  using enum JobStage;
  static constexpr Transition<JobStage> kRows[] = {
      {kOutside, kSubmitted, "a submission is being written"},
      {kSubmitted, kOutside, "the store refuses it"},
      {kSubmitted, kWaiting, "its submission is durable"},
      {kSubmitted, kHeld, "durable, and asked to be held"},
      {kHeld, kWaiting, "it is released"},
      {kWaiting, kPending, "it gets a place"},
      {kPending, kRunning, "its first attempt is launched"},
      {any(kPending, kRunning), kWaiting, "a more urgent job takes its place"},
      {kWaiting, kRunning, "it gets a place again"},
      {any(kPending, kRunning), kSucceeded, "its output is complete"},
      {any(kWaiting, kPending, kRunning), kFailed, "a task failed too often, or its last duty did"},
      {any(kHeld, kWaiting, kPending, kRunning), kKilled, "somebody kills it, or its time limit"},
      {kOutside, any(kHeld, kWaiting, kSucceeded, kFailed, kKilled), "a restart finds it stored"},
      {any(kSucceeded, kFailed, kKilled), kOutside, "it was kept for long enough"},
  };
};
inline constexpr LifeCycle<JobStage> kJob("job", JobRows::kRows);
}  // namespace life

// --- Tasks ---

const char* name(Task::State state);

namespace life {
struct TaskRows {
  using enum Task::State;
  static constexpr Transition<Task::State> kRows[] = {
      {kOutside, kPending, "its job gets a place"},
      {kPending, kRunning, "an attempt is launched"},
      {kRunning, kRunning, "a second attempt beside a straggler"},
      {kRunning, kPending, "its last attempt failed, or is gone"},
      {kRunning, kSucceeded, "an attempt succeeds"},
      {kSucceeded, kPending, "its map output is lost, and needed"},
      {kPending, kSucceeded, "it was done before a restart"},
      {any(kPending, kRunning, kSucceeded), kOutside, "its job is over, and nothing of it runs"},
  };
};
inline constexpr LifeCycle<Task::State> kTask("task", TaskRows::kRows);
}  // namespace life

// --- Attempts ---

const char* name(AttemptState state);

namespace life {
struct AttemptRows {
  using enum AttemptState;
  static constexpr Transition<AttemptState> kRows[] = {
      {kOutside, kLaunching, "it is given to a tracker, or found on one"},
      {kLaunching, kRunning, "its tracker reports it"},
      {any(kLaunching, kRunning), kCommitPending, "its output is ready to be published"},
      {kCommitPending, kRunning, "its tracker says that it runs after all"},
      {any(kLaunching, kRunning, kCommitPending), kDying, "it is ordered to die"},
      {any(kLaunching, kRunning, kCommitPending, kDying), kSucceeded, "it is reported as done"},
      {any(kLaunching, kRunning, kCommitPending), kFailed, "it is reported as failed"},
      {any(kLaunching, kRunning, kCommitPending, kDying), kKilled, "it is gone from its tracker"},
  };
};
inline constexpr LifeCycle<AttemptState> kAttempt("attempt", AttemptRows::kRows);
}  // namespace life

// --- Reduces that are launched to copy first ---

const char* name(CopyStage stage);

namespace life {
struct CopyRows {
  using enum CopyStage;
  static constexpr Transition<CopyStage> kRows[] = {
      {kOutside, kCopying, "it is launched without a slot"},
      {kCopying, kCopied, "it has copied all map outputs"},
      {kCopied, kGranted, "slots of its tracker are free for it"},
      {kCopying, kGranted, "its tracker says that it computes already"},
      {kGranted, kNone, "its tracker says that it computes"},
  };
};
inline constexpr LifeCycle<CopyStage> kCopy("copying reduce", CopyRows::kRows);
}  // namespace life

// --- The last duty of a job: to complete its output, or to remove it ---

enum class DutyStage : std::uint8_t {
  kCompleteDue,
  kCompleteOffered,
  kCompleteGiven,
  kRemoveDue,
  kRemoveOffered,
  kRemoveGiven,
};
const char* name(DutyStage stage);

namespace life {
struct DutyRows {
  using enum DutyStage;
  static constexpr Transition<DutyStage> kRows[] = {
      {kOutside, kCompleteDue, "all tasks are done, an attempt is still dying"},
      {kOutside, kCompleteOffered, "all tasks are done"},
      {kCompleteDue, kCompleteOffered, "its last attempt is gone"},
      {kCompleteOffered, kCompleteGiven, "a tracker that reports takes it"},
      {kCompleteGiven, kCompleteOffered, "that tracker is lost, cannot, or is slow"},
      {any(kCompleteOffered, kCompleteGiven), kOutside, "a tracker has done it, or failed"},
      {kCompleteDue, kRemoveDue, "the job is killed"},
      {kCompleteOffered, kRemoveOffered, "the job is killed"},
      {kCompleteGiven, kRemoveGiven, "the job is killed"},
      {kOutside, kRemoveDue, "the job failed or was killed, attempts are dying"},
      {kOutside, kRemoveOffered, "the job failed or was killed"},
      {kRemoveDue, kRemoveOffered, "its last attempt is gone"},
      {kRemoveOffered, kRemoveGiven, "a tracker that reports takes it"},
      {kRemoveGiven, kRemoveOffered, "that tracker is lost, cannot, or is slow"},
      {any(kRemoveOffered, kRemoveGiven), kOutside, "a tracker has done it, or failed"},
  };
};
inline constexpr LifeCycle<DutyStage> kDuty("last duty", DutyRows::kRows);
}  // namespace life

// --- Trackers ---

enum class TrackerStage : std::uint8_t { kAwaited, kInPool, kOutOfPool, kLost, kForgotten };
const char* name(TrackerStage stage);
life::Point<TrackerStage> stage_of(const TrackerState& tracker);

namespace life {
struct TrackerRows {
  using enum TrackerStage;
  static constexpr Transition<TrackerStage> kRows[] = {
      {kOutside, kInPool, "it registers"},
      {kOutside, kAwaited, "a restart finds it stored"},
      {kOutside, kLost, "a restart finds nothing but old faults of it"},
      {kAwaited, any(kInPool, kOutOfPool), "it registers"},
      {kInPool, kOutOfPool, "drained, stopping, faulty or unhealthy"},
      {kOutOfPool, kInPool, "resumed, forgiven or healthy again"},
      {any(kAwaited, kInPool, kOutOfPool), kLost, "silent for too long, declared lost, or it left"},
      {any(kLost, kForgotten), any(kInPool, kOutOfPool), "it registers again"},
      {kLost, kForgotten, "an administrator forgets it"},
  };
};
inline constexpr LifeCycle<TrackerStage> kTracker("tracker", TrackerRows::kRows);
}  // namespace life

// --- Claims ---

namespace life {
struct ClaimRows {
  using enum ClaimStage;
  static constexpr Transition<ClaimStage> kRows[] = {
      {kOutside, kOpen, "a queue comes to be owed slots, or a restart finds it stored"},
      {kOpen, kBlocked, "it is due, and nothing may be killed for it"},
      {kBlocked, kOpen, "something may be"},
      {any(kOpen, kBlocked), kPaused, "a policy without claims rules"},
      {kPaused, any(kOpen, kBlocked), "its policy rules again"},
      {any(kOpen, kBlocked, kPaused), kMet, "the queue has launched on all its slots"},
      {any(kOpen, kBlocked, kPaused), kDropped, "the queue wants less, or is owed less"},
  };
};
inline constexpr LifeCycle<ClaimStage> kClaim("claim", ClaimRows::kRows);

// --- All of them, for those who draw ---

struct Edge {
  const char* from;
  const char* to;
  const char* when;
};
struct Drawn {
  const char* name;
  std::vector<Edge> edges;
};
std::vector<Drawn> all();

}  // namespace life
}  // namespace weir
