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

#include "jobqueue/model/reason.h"
#include "jobqueue/model/caller.h"
#include "jobqueue/model/claims.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/gang.h"
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
  // Slots left on the tracker; of containers nothing is said here. Where reduces are launched to
  // copy: of places to copy, for launches, and of reduce slots in choose_compute().
  std::array<std::int64_t, kTaskKindCount> free{};
  // Tasks given in this heartbeat so far; containers count in the first.
  std::array<std::int32_t, kTaskKindCount> launched{};
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
    kAssemble,            // the gang that is `task` (Job::items) holds what fits it there
    kWaitForAmount,       // `task` begins to wait for what others keep (kept_room.h)
    kWaitToReserve,       // the next reservation is for `task`: no more may be made now
  };
  TaskKey task;
  Locality locality = Locality::kAny;
  bool located = false;  // kLaunch: it is known where the task's input lies
  What what = What::kLaunch;
  bool beyond = false;  // what collects for a gang: it is beyond its share
  std::uint32_t rooms = UINT32_MAX;  // kAssemble: for so many members at most
  HoldId hold = 0;  // kLaunch, kCompute: the task takes these slots, held for its queue
  TrackerId reserve_on;
  JobId gives_way;  // kReserve of a container: whose reservation ends for it, as it comes after
  std::string_view why = {};  // kReleaseReservation of a container
};

// To launch what was picked.
inline Choice launch_of(const TaskPick& pick) {
  return {.task = pick.task, .locality = pick.locality, .located = pick.located};
}
inline std::optional<Choice> launch_of(const std::optional<TaskPick>& pick) {
  return pick ? std::optional(launch_of(*pick)) : std::nullopt;
}

// A queue's or a pool's figures in one dimension, slots of one kind among them. -1: the ruling
// policy has no such figure.
struct QueueFigures {
  std::int64_t guaranteed = 0;  // GC
  std::int64_t allocated = 0;   // AC; under a policy without allocations: what is running
  std::int64_t running = 0;     // RUN
  std::int64_t pending = 0;     // PEND
  std::int64_t demand = 0;      // DEM: RUN + PEND, what is dying and wanted again, up to MAX
  std::int64_t maximum = -1;    // MAX, of a pool max_share
  Share share = -1;             // fair share
  std::int64_t min_share = -1;
  std::int64_t kept = -1;  // KEEP: of a guarantee on containers, or a min_share, what is never lent
  // Of a leaf: the slots up to which a user of it may go with a task of one slot.
  std::int64_t user_limit = -1;
  bool priorities = true;  // of a leaf: they count there
};

// Of these what slot-time is counted by, for every queue at each update.
struct QueueUse {
  std::int64_t guaranteed = 0;
  std::int64_t allocated = 0;
  std::int64_t running = 0;
};

// Preemption: the victims are on one tracker and make room there for one task.
struct KillOrder {
  std::vector<AttemptSlot> victims;
  KillReason reason = KillReason::kReclaim;
  QueueId for_queue;     // who gains: a leaf with a claim,
  std::string for_pool;  // or a pool without one
  ClaimId claim = 0;     // that it serves
  TaskKind kind = TaskKind::kMap;
  std::optional<Dimension> dimension = {};  // of the claim; nothing: the slots of that kind
  JobId job;                                // whose task is to start there
  std::int64_t slots = 0;  // held on that tracker: all that is freed, or that its task needs
  Resources need;          // of containers: held there for one task
  bool log_only = false;   // recorded, not done
  DurationMs owed_ms = 0;  // how long a pool has been short; of a claim it is its age
  Dimension in() const { return dimension.value_or(kind); }
};

// Why a due claim kills nothing now, or that nothing is in its way.
struct ClaimFinding {
  QueueId queue;
  Dimension dimension;
  ClaimId claim = 0;
  ClaimBlock block = ClaimBlock::kNone;
  std::int64_t width = 0;
};
struct Preemption {
  std::vector<KillOrder> kills;
  std::vector<ClaimFinding> findings;
  struct Unreserve {
    JobId job;
    std::string_view why;
  };
  std::vector<Unreserve> unreserve;  // of containers: nobody would reserve these any more
  std::vector<JobId> wait_no_more;   // whose tasks would wait for no amount any more
  // Of a gang for which kills make room, so that it collects some: what is free already.
  JobId gang;
  std::vector<GangRoom> rooms;
  std::string_view give_up_rooms;    // why the gang that collects room is to stop; empty: it is not
};

class Claims;
class CopySplit;
class Pools;
class Speculation;

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;

  // A heartbeat that may launch begins, and ends when the policy has nothing more for it.
  virtual void begin_offer(const Offer&) {}
  virtual void end_offer(const Offer&) {}
  // The next task for this offer, or nothing. Asked until it says nothing or the tracker is full.
  virtual std::optional<Choice> choose(const Offer& offer) = 0;

  // The state has changed. `job` is in state RUNNING in added/pending calls; in changed calls too,
  // or it waits and its tasks still run.
  virtual void on_job_added(JobId job) = 0;    // may be scheduled from now on
  virtual void on_job_removed(JobId job) = 0;  // over, or back to waiting; still readable
  // Its queue, priority, or the trackers that it avoids.
  virtual void on_job_changed(JobId job, QueueId old_queue) = 0;
  virtual void on_pending_changed(JobId job, TaskKind kind) = 0;  // number of launchable tasks
  virtual void on_launched(AttemptSlot attempt) = 0;  // it has come into RUN
  virtual void on_released(AttemptSlot attempt) = 0;  // has left RUN: ended, or ordered to die
  virtual void on_cluster_changed() = 0;              // totals
  // A tracker is kept for the job, or no more.
  virtual void on_reserved(JobId /*job*/, QueueId /*leaf*/) {}
  virtual void on_reserve_turn(JobId) {}  // the next is for a task of the job, or no more
  // Whether there is one of its name, too, where containers count (or slots, if it is that one).
  virtual bool knows_containers() const { return false; }
  // It rules from now on: switched to, or made anew for new settings.
  virtual void takes_over() {}
  // The attempt will end soon: hints to fetch what is kept of its job and queue, in steps, each of
  // which may look at what the one before has fetched (prefetch.h).
  virtual void prefetch(const Attempt&, int /*step*/) const {}

  // Time has passed: the periodic update. Returns what is to be killed.
  virtual Preemption tick(TimeMs now) = 0;
  // When the next tick is due at the latest, in ms after the last one.
  virtual DurationMs tick_interval_ms() const = 0;

  virtual QueueFigures figures(QueueId queue, Dimension dimension) const = 0;
  virtual QueueUse use(QueueId queue, Dimension dimension) const {
    const QueueFigures all = figures(queue, dimension);
    return {all.guaranteed, all.allocated, all.running};
  }
  // Why this RUNNING job's pending tasks of the kind wait. Empty if nothing but a free slot is
  // missing.
  virtual std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const = 0;
  // How often each rule that events do not show has decided something, for tests.
  using RuleCounts = std::vector<std::pair<std::string_view, std::uint64_t>>;
  virtual RuleCounts rule_counts() const { return {}; }

  // What only some policies have; null: this one has not, and hears nothing of it.
  virtual Claims* claims() { return nullptr; }            // claims_facet.h
  virtual Pools* pools() { return nullptr; }              // pools_facet.h
  virtual CopySplit* copies() { return nullptr; }         // copy_split_facet.h
  virtual Speculation* speculation() { return nullptr; }  // speculation_facet.h
  const Claims* claims() const { return const_cast<Policy*>(this)->claims(); }
  const Pools* pools() const { return const_cast<Policy*>(this)->pools(); }
  const CopySplit* copies() const { return const_cast<Policy*>(this)->copies(); }
};

// Makes the policy of that name from the state as it is, by its settings; null if there is none of
// that name (conf/policies.cpp). A policy may keep both, and writes the memory only while it rules.
using PolicyFactory = std::function<std::unique_ptr<Policy>(
    std::string_view name, const ClusterState& state, PolicyMemory& memory)>;

}  // namespace weir
