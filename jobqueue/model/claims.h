// What a queue is owed and what is done about it: claims with their deadlines, slots held for a
// claimant whose kill freed them, trackers reserved for wide tasks, and a record of every
// preemption. This is history that decisions depend on, so it is plain data in the ClusterState
// and no policy's own: it survives a switch of policy, and claims survive a restart (capacity.md,
// "Claims and kill timers"). A policy says what should happen (policy.h), the engine does it here
// (engine/claim_keeper.h). Invariant: a queue's claims stand in order of birth, all with slots >
// 0, and every hold belongs to an open claim. Engine's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "jobqueue/model/dimension.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/kill_losses.h"
#include "jobqueue/model/per_dimension.h"
#include "jobqueue/model/reservations.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/share.h"
#include "jobqueue/model/time.h"

namespace weir {

using ClaimId = std::uint64_t;  // counts claims, 0 is none; never given twice within one store

// Why a claim that is due kills nothing.
enum class ClaimBlock : std::uint8_t {
  kNone = 0,
  kUnservable = 1,     // no tracker can free what the claimant's tasks need
  kOverBudget = 2,     // every victim's queue has lost its kill_budget in the last hour
  kPreemptionOff = 3,  // capacity.preemption: off
  kLogOnly = 4,        // capacity.preemption: log_only
  kRepeating = 5,      // its last kill brought no launch: again after another reclaim_after
  kFragmented = 6,     // of containers: enough could be freed, on no tracker all of it
};
const char* name(ClaimBlock block);  // "unservable"

// Where a claim is in its life (life_cycles.h).
enum class ClaimStage : std::uint8_t { kOpen, kBlocked, kPaused, kMet, kDropped };
const char* name(ClaimStage stage);  // "OPEN"

struct Claim {
  ClaimId id = 0;
  QueueId queue;           // a leaf
  Dimension dimension;     // of slots: the kind of them
  std::int64_t slots = 0;  // still owed; of a container's dimension the amount
  TimeMs born = 0;         // moved on by the time another policy ruled
  TimeMs deadline = 0;     // born + the queue's reclaim_after
  TimeMs kills_from = 0;   // max(deadline, after a wasted kill: that kill + reclaim_after)
  ClaimBlock block = ClaimBlock::kNone;
  std::int64_t width = 0;  // kUnservable: slots that one task of the claimant needs
};

// Slots of one tracker that a kill frees for the claimant, from the order to kill until the
// claimant has filled them or was offered them and wanted no more.
using HoldId = std::uint64_t;  // counts holds, 0 is none
struct Hold {
  HoldId id = 0;
  ClaimId claim = 0;
  QueueId queue;     // the claimant: a leaf with a claim,
  std::string pool;  // or a pool (and those in it) without one; then `queue` is invalid
  TaskKind kind = TaskKind::kMap;
  Dimension dimension = {};  // of the claim
  TrackerId tracker;
  JobId job;                     // whose task is to start there
  std::int64_t slots = 0;        // all that the victims free, or what that task needs, if more
  bool used = false;             // a task of the claimant has started on some of them
  std::uint32_t dying = 0;       // victims that the tracker still has
  std::int64_t dying_slots = 0;  // and what they still occupy
  PerDimension<std::int64_t> need;        // of containers: the room that is held, for one task,
  PerDimension<std::int64_t> dying_need;  // and what victims still occupy
  TimeMs ordered_at = 0;
  TimeMs free_since = 0;  // when the last victim was gone; meaningless while dying > 0
  bool complete() const { return dying == 0; }
  // Of the slots that are free on the tracker by now.
  std::int64_t kept() const { return slots > dying_slots ? slots - dying_slots : 0; }
  // Likewise, of the room for a container; and the rest of that.
  Resources kept_room() const {
    Resources kept;
    for (const Dimension d : kContainerDimensions)
      kept[d] = need[d] - std::min(need[d], dying_need[d]);
    return kept;
  }
  Resources occupied_room() const {
    Resources occupied;
    for (const Dimension d : kContainerDimensions) occupied[d] = std::min(need[d], dying_need[d]);
    return occupied;
  }
};

// Slots of a tracker that a leaf's own task has freed by its end and that nobody was offered since.
// For claims they are the leaf's as before: until it is known who fills them, nothing has changed.
struct FreedSlots {
  TrackerId tracker;
  QueueId queue;  // a leaf
  TaskKind kind = TaskKind::kMap;
  std::int64_t slots = 0;
};

// One preempted attempt.
struct KillRecord {
  enum class Outcome : std::uint8_t {
    kPending = 0,     // dying, or its slot is held for the claimant
    kUsed = 1,        // the claimant started a task on the slot
    kWasted = 2,      // it did not
    kLoggedOnly = 3,  // nothing was killed: capacity.preemption is log_only
  };
  TimeMs at = 0;
  ClaimId claim = 0;
  QueueId claimant;
  std::string for_pool;    // the claimant, if it is a pool
  DurationMs owed_ms = 0;  // age of the claim, or how long the pool had been short
  HoldId hold = 0;         // what the kill made, until it is settled
  AttemptKey attempt;
  TrackerId tracker;
  QueueId victim;
  std::string from_pool;  // the victim's pool, under a policy with pools
  UserId user;
  std::int64_t slots = 0;  // a container counts as one, also for the kill_budget
  Resources container;     // where containers count: what it had, and nothing else
  DurationMs ran_ms = 0;   // slots * ran_ms is what was lost
  Outcome outcome = Outcome::kPending;
  bool finished_first = false;  // the attempt succeeded before its tracker killed it
  std::int64_t lost_slot_ms() const { return slots * ran_ms; }
};
const char* name(KillRecord::Outcome outcome);  // "used"
const char* outcome_of(const KillRecord& record);  // likewise, or "finished_first"

class ClaimBook {
 public:
  static constexpr std::size_t kRecordsKept = 1000;

  ClaimBook(std::size_t queues, std::size_t dimensions);

  // --- Reading ---
  // Open claims of a leaf, the earliest first.
  const std::vector<Claim>& claims(QueueId queue, Dimension d) const;
  // All open claims of a class by (deadline, queue, id): queue ids are in file order.
  using Due = std::tuple<TimeMs, QueueId, ClaimId>;
  const std::set<Due>& by_deadline(Dimension d) const { return by_deadline_[d.place()]; }
  std::int64_t owed(QueueId queue, Dimension d) const {  // slots of all its claims
    return owed_[place(queue, d)];
  }
  std::int64_t owed(Dimension d) const { return owed_in_all_[d.place()]; }
  const Claim* find(QueueId queue, Dimension d, ClaimId id) const;
  const std::vector<Hold>& holds() const { return holds_; }
  std::int64_t held_on(TrackerId tracker, TaskKind kind) const;  // free slots that holds keep
  const Reservations& reservations() const { return reservations_; }
  const std::vector<FreedSlots>& freed() const { return freed_; }
  // The last kRecordsKept, oldest first.
  const std::deque<KillRecord>& records() const { return records_; }
  const KillLosses& losses() const { return losses_; }
  // Since when DEM < GC, and whether the queue lends already (queues with lend_after only).
  struct Lending {
    bool idle = false;
    TimeMs idle_since = 0;
    bool lends = false;
  };
  const Lending& lending(QueueId queue, Dimension d) const;
  // RUN when the claims were last compared with it; -1: not since they were restored.
  std::int64_t running_seen(QueueId queue, Dimension d) const;
  // Slots by which the queue is short beyond its claims, since free ones were counted for it when
  // the latest claim arose or its own tasks have freed them: filling them meets no claim.
  std::int64_t counted_free(QueueId queue, Dimension d) const;
  ClaimId next_id() const { return next_id_; }
  ClaimStage stage_of(const Claim& claim) const;
  // Another one when claims have opened, changed or ended.
  std::uint64_t version() const { return version_; }
  // Since when they stand still, while another policy than theirs rules; nothing: they do not.
  std::optional<TimeMs> paused_at() const { return paused_at_; }

  // --- Changing: the engine only ---
  const Claim& open(QueueId queue, Dimension d, std::int64_t slots, TimeMs born,
                    DurationMs reclaim_after_ms);
  void restore(const Claim& claim);  // as stored; in any order
  void skip_ids_below(ClaimId id) { next_id_ = next_id_ < id ? id : next_id_; }
  // Takes up to `slots` off the earliest (met) or latest (dropped) claim; returns it as it is now,
  // with the slots that were taken off in `taken`. A claim without slots is gone.
  Claim reduce(QueueId queue, Dimension d, std::int64_t slots, bool earliest,
               std::int64_t& taken);
  void set_block(QueueId queue, Dimension d, ClaimId id, ClaimBlock block, std::int64_t width);
  void set_deadlines(QueueId queue, Dimension d, DurationMs reclaim_after_ms);  // after a change
  void pause(TimeMs at);
  void resume(TimeMs now);  // all claims are younger by the time that they stood still
  void postpone(QueueId queue, Dimension d, ClaimId id, TimeMs kills_from);
  void set_running_seen(QueueId queue, Dimension d, std::int64_t slots);
  void set_counted_free(QueueId queue, Dimension d, std::int64_t slots);
  Lending& mutable_lending(QueueId queue, Dimension d);
  std::vector<Hold>& mutable_holds() { return holds_; }
  Reservations& mutable_reservations() { return reservations_; }
  void add_freed(const FreedSlots& freed) { freed_.push_back(freed); }
  void forget_freed(TrackerId tracker);  // offered, or lost
  void add_record(const KillRecord& record);
  std::deque<KillRecord>& mutable_records() { return records_; }
  void settle_records(HoldId hold, KillRecord::Outcome outcome);
  // Nothing was lost by its kill: the record, if it is kept.
  const KillRecord* set_finished_first(const AttemptKey& attempt);
  KillLosses& mutable_losses() { return losses_; }
  const KillRecord* record_of(const AttemptKey& attempt) const;  // of its last preemption, if kept
  HoldId next_hold() { return next_hold_++; }
  // Everything, when other dimensions count: what is owed in the old ones is owed no more.
  void clear(std::size_t dimensions);
  // Queues have other ids: `new_id[old]`, invalid where it is gone, or was a leaf and is none any
  // more; what was done for it is told of `by_name[old]`.
  void renumber(const std::vector<QueueId>& new_id, const std::vector<QueueId>& by_name,
                std::size_t queues);

 private:
  struct Account {
    std::vector<Claim> claims;
    Lending lending;
    std::int64_t running_seen = -1;
    std::int64_t counted_free = 0;
  };
  std::size_t place(QueueId queue, Dimension d) const {
    return queue.index() * dimensions_ + d.place();
  }
  Account& account(QueueId queue, Dimension d) { return accounts_[place(queue, d)]; }
  const Account& account(QueueId queue, Dimension d) const {
    return accounts_[place(queue, d)];
  }
  void index_claims();
  void add_owed(QueueId queue, Dimension d, std::int64_t slots);

  std::size_t dimensions_;  // that count
  std::vector<Account> accounts_;
  // Of each account. Asked at every launch, and mostly nothing is: so it stands by itself.
  std::vector<std::int64_t> owed_;
  std::int64_t owed_in_all_[kPlaceCount] = {};
  std::set<Due> by_deadline_[kPlaceCount];
  std::vector<Hold> holds_;
  Reservations reservations_;
  std::vector<FreedSlots> freed_;  // of the heartbeat at hand, and of those that took no tasks
  std::deque<KillRecord> records_;
  KillLosses losses_;
  std::optional<TimeMs> paused_at_;
  ClaimId next_id_ = 1;
  std::uint64_t version_ = 0;
  HoldId next_hold_ = 1;
};

}  // namespace weir
