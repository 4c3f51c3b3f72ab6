// A queue as readers see it (see job_view.h): figures, users with their limits, claims, held slots,
// the last kills, counters. What the ruling policy does not have is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "views/amount.h"

namespace weir {

struct QueueView {
  struct Slots {
    std::int64_t guaranteed = 0;          // GC
    std::int64_t allocated = 0;           // AC
    std::int64_t running = 0;             // RUN
    std::int64_t pending = 0;             // PEND
    std::optional<std::int64_t> maximum;  // MAX
    std::optional<std::int64_t> lends;    // of its guarantee, allocated to others now
    std::optional<std::int64_t> borrows;  // running above its guarantee now
    std::optional<std::int64_t> copying;  // of reduces that copy without a slot, or wait for one
    std::optional<std::int64_t> share_thousandths;  // of the pool of this path, as last dealt
    friend bool operator==(const Slots&, const Slots&) = default;
  };

  // What it has had in one class since totals_since_ms, in slot-milliseconds; of a dimension of
  // containers in MB-milliseconds and so on.
  struct SlotTime {
    std::int64_t used_ms = 0;  // by attempts that have ended
    std::int64_t lent_ms = 0;
    std::int64_t borrowed_ms = 0;
    std::int64_t lost_ms = 0;  // by its attempts that were killed for another queue
    friend bool operator==(const SlotTime&, const SlotTime&) = default;
  };

  // A user's part of one dimension, where containers count.
  struct UserAmounts {
    std::string dimension;
    std::int64_t running = 0;
    std::optional<std::int64_t> limit;  // that he may hold now
    std::int64_t used_ms = 0;           // since totals_since_ms, as `lost_ms`
    std::int64_t lost_ms = 0;
    friend bool operator==(const UserAmounts&, const UserAmounts&) = default;
  };

  // Where containers count nothing is said of maps and reduces, and else nothing in `amounts`.
  struct User {
    std::string user;
    std::int64_t running_maps = 0;
    std::int64_t running_reduces = 0;
    std::int32_t jobs = 0;                   // waiting, pending and running
    std::optional<std::int64_t> limit_maps;  // slots he may hold now
    std::optional<std::int64_t> limit_reduces;
    std::optional<std::int32_t> jobs_waiting;
    std::optional<std::int32_t> jobs_pending;    // none of whose tasks has started yet
    std::optional<std::int32_t> jobs_running;    // of which a task has started
    std::optional<std::int64_t> jobs_succeeded;  // since totals_since_ms, as what follows
    std::optional<std::int64_t> jobs_failed;
    std::optional<std::int64_t> jobs_killed;
    std::optional<std::int64_t> used_map_slot_ms;
    std::optional<std::int64_t> used_reduce_slot_ms;
    std::optional<std::int64_t> lost_map_slot_ms;
    std::optional<std::int64_t> lost_reduce_slot_ms;
    std::vector<UserAmounts> amounts;
    friend bool operator==(const User&, const User&) = default;
  };

  struct Claim {
    TaskKind kind = TaskKind::kMap;
    std::int64_t slots = 0;              // still owed; where containers count an amount of
    std::optional<std::string> dimension;  // this, and `kind` says nothing
    std::int64_t milliseconds_left = 0;  // until it kills, 0 once it is due, -1: never
    std::optional<std::int64_t> claim;   // its number
    std::optional<std::int64_t> opened_at_ms;
    std::optional<std::int64_t> owed_ms;  // in which the JobTracker was up and its policy ruled
    std::optional<std::int64_t> deadline_ms;
    std::optional<std::int64_t> overdue_ms;  // from the deadline on
    std::optional<std::string> state;  // waiting due unservable over_budget preemption_off log_only
                                       // repeating recovering paused
    std::optional<std::int64_t> width;  // unservable: slots that one task needs on one tracker
    friend bool operator==(const Claim&, const Claim&) = default;
  };

  // Slots of a tracker that a kill has freed, or is freeing, for this queue.
  struct Hold {
    TaskKind kind = TaskKind::kMap;
    std::string tracker;
    std::int64_t slots = 0;
    std::int64_t claim = 0;
    std::int32_t dying = 0;  // victims that are not gone yet
    std::optional<std::string> room;  // where containers count: "3072 MB, 1 vcore"
    friend bool operator==(const Hold&, const Hold&) = default;
  };

  // One preempted attempt.
  struct Kill {
    std::int64_t at_ms = 0;
    std::int64_t claim = 0;
    std::string claimant;      // queue; empty if it is gone, as `victim`
    std::int64_t owed_ms = 0;  // how long the claim had been open
    std::string victim;        // queue
    std::string user;
    std::string job_name;
    std::string attempt;
    std::string tracker;
    std::int64_t slots = 0;         // a container counts as one, also for the kill_budget
    std::vector<Amount> container;  // where containers count: what it had
    std::int64_t ran_ms = 0;
    std::string outcome;  // pending used wasted logged_only finished_first; unknown: it
                          // was pending when the JobTracker ended
    // Would be, where kills are only logged; what was done before its kill is not.
    std::int64_t lost_slot_ms() const { return slots * lost_ms(); }
    std::vector<Amount> lost_amounts_ms() const {
      std::vector<Amount> lost = container;
      for (Amount& each : lost) each.amount *= lost_ms();
      return lost;
    }
    std::int64_t lost_ms() const { return outcome == "finished_first" ? 0 : ran_ms; }
    friend bool operator==(const Kill&, const Kill&) = default;
  };

  std::string name;  // dotted path
  bool leaf = false;
  std::string state;  // RUNNING, STOPPED
  Slots maps;
  Slots reduces;
  // Where containers count, instead of slots: memory_mb, vcores and what the settings name.
  struct Amounts {
    std::string dimension;
    Slots figures;
    std::int64_t reserved = 0;  // by tasks that wait for room on a tracker
    std::optional<std::int64_t> kept;  // of its guarantee, or its pool's minimum share: never lent
    std::optional<std::int64_t> min_share;
    SlotTime time;
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };
  std::vector<Amounts> amounts;
  std::optional<std::int64_t> dominant_thousandths;  // its largest part of the cluster
  std::int32_t jobs_waiting = 0;
  std::int32_t jobs_pending = 0;  // none of whose tasks has started yet; not in jobs_running
  std::int32_t jobs_running = 0;
  std::int64_t jobs_succeeded = 0;  // since totals_since_ms, as the next two
  std::int64_t jobs_failed = 0;
  std::int64_t jobs_killed = 0;
  std::int64_t totals_since_ms = 0;  // totals count from then on, over restarts
  std::vector<User> users;
  std::vector<Claim> claims;
  std::string guaranteed;  // as set: "40%" or "40 / 20 slots"
  std::optional<std::vector<std::string>> submit;  // who may; absent: everybody
  std::optional<std::vector<std::string>> administer;
  std::optional<SlotTime> map_time;  // where slots count
  std::optional<SlotTime> reduce_time;
  std::vector<Hold> holds;
  std::vector<Kill> kills;  // the last ones for it or of its tasks, newest first
  std::optional<std::int64_t> reclaim_after_map_ms;  // -1: never
  std::optional<std::int64_t> reclaim_after_reduce_ms;
  std::optional<std::int64_t> kill_budget;  // slot-seconds an hour
  std::optional<bool> priorities;           // a job's priority counts in it; of a leaf

  friend bool operator==(const QueueView&, const QueueView&) = default;
};

}  // namespace weir
