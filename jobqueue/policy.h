// The seam between mechanism and policy. A policy answers questions: which task next for this
// tracker, what is each queue's figure, why does this job wait. It assigns nothing, owns no truth
// and reads no clock; its indexes are derived from the ClusterState and kept current by the
// on_...() calls, each made right after the state has changed. A policy constructed from a state in
// any situation must decide as one that saw the state grow: so switching policy, recovery and
// what-if are one and the same constructor. The engine checks every decision again; it runs on the
// engine's thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/claims.h"
#include "jobqueue/event.h"
#include "jobqueue/ids.h"
#include "jobqueue/settings.h"
#include "jobqueue/time.h"

namespace weir {

class ClusterState;

// A tracker with room, in the middle of one heartbeat.
struct Offer {
  TrackerId tracker;
  TimeMs now = 0;
  std::array<std::int64_t, kTaskKindCount> free{};      // slots left on the tracker
  std::array<std::int32_t, kTaskKindCount> launched{};  // tasks given in this heartbeat so far
};

// What to do with the offered tracker: mostly a task to launch there. The other answers settle what
// slots are kept for, and the policy is asked again.
struct Choice {
  enum class What : std::uint8_t {
    kLaunch,              // `task`
    kReserve,             // `reserve_on` is kept for a task of `task.job` of this kind
    kEndHold,             // its claimant was offered the slots of `hold` here and takes none
    kReleaseReservation,  // of `task.job` and kind on the offered tracker: it may not run after all
  };
  TaskKey task;
  Locality locality = Locality::kAny;
  What what = What::kLaunch;
  HoldId hold = 0;  // kLaunch: the task takes these slots, held for its queue
  TrackerId reserve_on;
};

// A queue's figures in one class, in slots.
struct QueueFigures {
  std::int64_t guaranteed = 0;  // GC
  std::int64_t allocated = 0;   // AC; under a policy without allocations: what is running
  std::int64_t running = 0;     // RUN
  std::int64_t pending = 0;     // PEND
  std::int64_t demand = 0;      // DEM: RUN + PEND, what is dying and wanted again, up to MAX
  std::int64_t maximum = -1;    // MAX; -1 under a policy without maximums
};

// Why something waits: a stable code, one sentence, and the numbers in it.
struct Reason {
  std::string code;
  std::string message;
  std::vector<std::pair<std::string, std::int64_t>> numbers;
};

// Preemption: the victims are on one tracker and make room there for one task.
struct KillOrder {
  std::vector<AttemptSlot> victims;
  KillReason reason = KillReason::kReclaim;
  QueueId for_queue;
  ClaimId claim = 0;  // that it serves; 0: none, then nothing is held
  TaskKind kind = TaskKind::kMap;
  JobId job;               // whose task is to start there
  std::int64_t slots = 0;  // held on that tracker for the claimant
  bool log_only = false;   // recorded, not done
};

// How claims and lending follow the figures: what a policy finds, the engine enters in the
// ClaimBook.
struct ClaimStep {
  enum class What : std::uint8_t {
    kOpen,     // a claim of `slots` arises
    kMeet,     // launches have met `slots`, the earliest claim first
    kDrop,     // `slots` less are owed, the latest claim first
    kSeen,     // RUN is `slots` now
    kCounted,  // `slots` of the free ones are counted for the queue
    kIdle,     // DEM < GC from now on
    kLend,     // it has been so for lend_after
    kNotIdle,  // DEM >= GC
  };
  What what = What::kOpen;
  QueueId queue;
  TaskKind kind = TaskKind::kMap;
  std::int64_t slots = 0;
};
// Why a due claim kills nothing now, or that nothing is in its way.
struct ClaimFinding {
  QueueId queue;
  TaskKind kind = TaskKind::kMap;
  ClaimId claim = 0;
  ClaimBlock block = ClaimBlock::kNone;
  std::int64_t width = 0;
};
struct Preemption {
  std::vector<KillOrder> kills;
  std::vector<ClaimFinding> findings;
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;

  // The next task for this offer, or nothing. Asked until it says nothing or the tracker is full.
  virtual std::optional<Choice> choose(const Offer& offer) = 0;

  // The state has changed. `job` is in state RUNNING in added/pending calls; in changed calls too,
  // or it waits and its tasks still run.
  virtual void on_job_added(JobId job) = 0;    // may be scheduled from now on
  virtual void on_job_removed(JobId job) = 0;  // over, or back to waiting; still readable
  virtual void on_job_changed(JobId job,
                              QueueId old_queue) = 0;  // queue, priority, or avoided tracker
  virtual void on_pending_changed(JobId job, TaskKind kind) = 0;  // number of launchable tasks
  virtual void on_launched(AttemptSlot attempt) = 0;
  virtual void on_released(AttemptSlot attempt) = 0;  // has left RUN: ended, or ordered to die
  virtual void on_cluster_changed() = 0;              // totals
  // What queues lend has changed (a step of review() was entered).
  virtual void on_lending_changed(QueueId, TaskKind) {}
  // Whether claims arise and fall due under this policy; under others they stand still.
  virtual bool keeps_claims() const { return false; }
  // How claims should follow: asked after the launches of each heartbeat, and at each tick.
  virtual void review(TimeMs, bool /*tick*/, std::vector<ClaimStep>&) {}
  // Time has passed: the periodic update. Returns what is to be killed.
  virtual Preemption tick(TimeMs now) = 0;
  // When the next tick is due at the latest, in ms after the last one.
  virtual DurationMs tick_interval_ms() const = 0;

  virtual QueueFigures figures(QueueId queue, TaskKind kind) const = 0;
  // The slots up to which a user of the leaf may go with a task of one slot; -1: no such limit.
  virtual std::int64_t user_limit(QueueId /*leaf*/, TaskKind /*kind*/) const { return -1; }
  // Why this RUNNING job's pending tasks of the kind wait. Empty if nothing but a free slot is
  // missing.
  virtual std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const = 0;
  // How often each rule that events do not show has decided something, for tests.
  using RuleCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;
  virtual RuleCounts rule_counts() const { return {}; }
};

// Makes the policy of that name from the state as it is; null if there is none of that name
// (conf/policies.cpp).
using PolicyFactory = std::function<std::unique_ptr<Policy>(
    std::string_view name, const ClusterState& state, const Settings& settings)>;

}  // namespace weir
