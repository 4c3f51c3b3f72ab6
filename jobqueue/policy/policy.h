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

#include "jobqueue/model/caller.h"
#include "jobqueue/model/claims.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/share.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"

namespace weir {

struct PolicyMemory;

// A tracker with room, in the middle of one heartbeat.
struct Offer {
  TrackerId tracker;
  TimeMs now = 0;
  // Slots left on the tracker. Where reduces are launched to copy: of places to copy, for launches,
  // and of reduce slots in choose_compute().
  std::array<std::int64_t, kTaskKindCount> free{};
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
    kCompute,             // `task`, a reduce that has copied there, gets its slots
  };
  TaskKey task;
  Locality locality = Locality::kAny;
  bool located = false;  // kLaunch: it is known where the task's input lies
  What what = What::kLaunch;
  HoldId hold = 0;  // kLaunch, kCompute: the task takes these slots, held for its queue
  TrackerId reserve_on;
};

// To launch what was picked.
inline Choice launch_of(const TaskPick& pick) {
  return {.task = pick.task, .locality = pick.locality, .located = pick.located};
}
inline std::optional<Choice> launch_of(const std::optional<TaskPick>& pick) {
  return pick ? std::optional(launch_of(*pick)) : std::nullopt;
}

// A queue's or a pool's figures in one class, in slots. -1: the ruling policy has no such figure.
struct QueueFigures {
  std::int64_t guaranteed = 0;  // GC
  std::int64_t allocated = 0;   // AC; under a policy without allocations: what is running
  std::int64_t running = 0;     // RUN
  std::int64_t pending = 0;     // PEND
  std::int64_t demand = 0;      // DEM: RUN + PEND, what is dying and wanted again, up to MAX
  std::int64_t maximum = -1;    // MAX, of a pool max_share
  Share share = -1;             // fair share
  std::int64_t min_share = -1;
};

// What a policy divides the cluster among besides the queues, if it does: pools, by dotted path.
struct PoolFigures {
  std::string pool;
  std::string parent;  // dotted path; empty at the top
  bool declared = false;
  bool fifo = false;
  std::int64_t weight_millionths = 0;
  std::uint32_t jobs_running = 0, jobs_waiting = 0;  // of a leaf; waiting: over a limit
  std::array<QueueFigures, kTaskKindCount> of{};
  std::int64_t copying = -1;  // places to copy in that its reduces take; -1: there are none
  // How long below the minimum share, and below half of the fair share; 0: it is not.
  std::array<DurationMs, kTaskKindCount> below_min_share_ms{}, below_half_share_ms{};
  // Slots that it was due at the last check and that nobody could be killed for.
  std::array<std::int64_t, kTaskKindCount> unmet{};
};
// A job's figures in one class. -1: the ruling policy has no such figure.
struct JobFigures {
  Share share = -1;
  std::int64_t weight_millionths = -1;
  std::optional<std::int64_t> deficit_ms;  // slot-milliseconds
};

// Where a policy with pools puts a job that is moved: into another queue, if `queue` says one, and
// into a pool that is not the one its queue and properties would give, if `pool` does.
struct Destination {
  std::string queue;
  std::string pool;
};
// A group of jobs of which only so many run at a time: those of a pool, of a user.
struct RunningGroup {
  std::string name;  // "pool production", "user alice"
  std::int64_t limit = 0;
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
  QueueId for_queue;     // who gains: a leaf with a claim,
  std::string for_pool;  // or a pool without one
  ClaimId claim = 0;     // that it serves
  TaskKind kind = TaskKind::kMap;
  JobId job;               // whose task is to start there
  std::int64_t slots = 0;  // held on that tracker: all that is freed, or that its task needs
  bool log_only = false;   // recorded, not done
  DurationMs owed_ms = 0;  // how long a pool has been short; of a claim it is its age
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
    kRelease,  // no tracker is kept for `job` any more
  };
  What what = What::kOpen;
  QueueId queue;
  TaskKind kind = TaskKind::kMap;
  std::int64_t slots = 0;
  JobId job = {};
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

  // A heartbeat that may launch begins, and ends when the policy has nothing more for it.
  virtual void begin_offer(const Offer&) {}
  virtual void end_offer(const Offer&) {}
  // The next task for this offer, or nothing. Asked until it says nothing or the tracker is full.
  virtual std::optional<Choice> choose(const Offer& offer) = 0;

  // --- Copy-compute splitting ---
  // Launched reduces have no slots at first: they copy, and a tracker holds such reduces of up to
  // so many times its reduce slots. 0: they have their slots from their launch on.
  virtual std::int64_t copy_factor() const { return 0; }
  // Which of the reduces that have copied on the tracker gets its slots next (kCompute). Asked
  // before choose(), until it says nothing or none waits there. A policy without a copy_factor is
  // not asked: those that still copy get their slots in the order of their launch.
  virtual std::optional<Choice> choose_compute(const Offer&) { return std::nullopt; }
  virtual void on_copied(AttemptSlot) {}                // and waits for its slots
  virtual void on_slots_granted(AttemptSlot attempt) {  // it has come into RUN
    on_launched(attempt);
  }

  // --- Speculative attempts: asked once choose() has nothing more for the offer. The mechanism
  // knows which tasks are stragglers, and may pass the policy's choice of a job over. ---
  // Whether a second attempt of one of the job's running tasks may start on the offered tracker,
  // under every limit that a launch has. A policy that says nothing has no such attempts.
  virtual bool may_speculate(JobId, TaskKind, const Offer&) { return false; }
  // Whether a slot goes to the first rather than to the second of two jobs that both may.
  virtual bool comes_before(JobId a, JobId b, TaskKind /*kind*/) const { return a < b; }

  // The state has changed. `job` is in state RUNNING in added/pending calls; in changed calls too,
  // or it waits and its tasks still run.
  // A job has come, running or waiting and perhaps not durable yet; or has moved; or is over, or is
  // forgotten as if it had never been. Comes before the other calls about the same change.
  virtual void on_job_listed(JobId) {}
  virtual void on_job_added(JobId job) = 0;    // may be scheduled from now on
  virtual void on_job_removed(JobId job) = 0;  // over, or back to waiting; still readable
  virtual void on_job_changed(JobId job,
                              QueueId old_queue) = 0;  // queue, priority, or avoided tracker
  virtual void on_pending_changed(JobId job, TaskKind kind) = 0;  // number of launchable tasks
  virtual void on_launched(AttemptSlot attempt) = 0;
  virtual void on_released(AttemptSlot attempt) = 0;  // has left RUN: ended, or ordered to die
  virtual void on_cluster_changed() = 0;              // totals
  // The attempt will end soon: hints to fetch what is kept of its job and queue, in steps, each of
  // which may look at what the one before has fetched (prefetch.h).
  virtual void prefetch(const Attempt&, int /*step*/) const {}
  // What queues lend has changed (a step of review() was entered).
  virtual void on_lending_changed(QueueId, TaskKind) {}
  // Whether claims arise and fall due under this policy; under others they stand still.
  virtual bool keeps_claims() const { return false; }
  // How claims should follow: asked after each input, and at each tick before anybody is killed;
  // and, with that entered, what should be claimed anew.
  virtual void review(TimeMs, bool /*tick*/, std::vector<ClaimStep>&) {}
  virtual void claim(std::vector<ClaimStep>&) {}
  // Time has passed: the periodic update. Returns what is to be killed.
  virtual Preemption tick(TimeMs now) = 0;
  // When the next tick is due at the latest, in ms after the last one.
  virtual DurationMs tick_interval_ms() const = 0;
  // Whether it keeps the DeficitAccounts of the state's PolicyMemory; else they are closed.
  virtual bool keeps_accounts() const { return false; }

  // --- Pools: only a policy that divides the cluster among other things than queues has any. ---
  virtual bool has_pools() const { return false; }
  // The pool of a job, over or not; empty: its queue is what counts.
  virtual std::string_view pool_of(JobId) const { return {}; }
  // Whether a job like that may come into that leaf: its pool may be none that it may use.
  virtual Status check_submission(const Caller&, const JobSpec&, QueueId /*leaf*/) const {
    return Ok{};
  }
  // Where a job goes that is moved to `name`; nothing: to the queue of that name.
  virtual std::optional<Result<Destination>> check_move(const Caller&, const Job&,
                                                        const std::string& /*name*/) const {
    return std::nullopt;
  }
  // What new settings, valid by themselves, would break for the jobs there are.
  virtual std::vector<std::string> settings_findings(const Settings&) const { return {}; }
  // Limits on running jobs besides those of the queues: in which groups a job counts.
  virtual bool limits_running_jobs() const { return false; }
  virtual void running_groups(const Job&, std::vector<RunningGroup>&) const {}
  // Appends the jobs whose groups have become others since it was last asked, besides those that
  // have just been moved.
  virtual void take_regrouped(std::vector<JobId>&) {}
  virtual std::vector<PoolFigures> pools(TimeMs /*now*/) const { return {}; }
  virtual JobFigures job_figures(JobId, TaskKind) const { return {}; }

  virtual QueueFigures figures(QueueId queue, TaskKind kind) const = 0;
  // The slots up to which a user of the leaf may go with a task of one slot; -1: no such limit.
  virtual std::int64_t user_limit(QueueId /*leaf*/, TaskKind /*kind*/) const { return -1; }
  virtual bool priority_counts(QueueId /*leaf*/) const { return true; }
  // Why this RUNNING job's pending tasks of the kind wait. Empty if nothing but a free slot is
  // missing.
  virtual std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const = 0;
  // How often each rule that events do not show has decided something, for tests.
  using RuleCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;
  virtual RuleCounts rule_counts() const { return {}; }
};

// Makes the policy of that name from the state as it is, by its settings; null if there is none of
// that name (conf/policies.cpp). A policy may keep both, and writes the memory only while it rules.
using PolicyFactory = std::function<std::unique_ptr<Policy>(
    std::string_view name, const ClusterState& state, PolicyMemory& memory)>;

}  // namespace weir
