// What the capacity policy must say, by capacity.md alone: every queue's exact share, guaranteed
// and maximum slots, demand and allocation, and the limit of a user. Recomputed whole from a census
// by the definitions, top down and bottom up, in exact rationals. Shares no code with the policies.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "jobqueue/model/queue_tree.h"
#include "sim/checker/census.h"
#include "sim/checker/exact.h"

namespace weir::check {

// The settings that the capacity policy rules by, as whoever runs the checker reads them.
struct CapacityRules {
  enum class RedistributeBy : std::uint8_t { kGuaranteed, kWaitingJobs, kDemand };
  enum class Preemption : std::uint8_t { kOn, kLogOnly, kOff };
  DurationMs interval_ms = 1000;
  RedistributeBy redistribute_by = RedistributeBy::kGuaranteed;
  Preemption preemption = Preemption::kOn;
  bool delays_maps = false;  // maps may wait for a slot near their input
};

struct ExpectedQueue {
  Rational share;               // g, as a part of the cluster
  std::int64_t guaranteed = 0;  // GC
  std::int64_t maximum = 0;     // MAX
  std::int64_t running = 0;     // RUN
  std::int64_t pending = 0;     // PEND
  std::int64_t returning = 0;   // slots of tasks ordered to die, which count in DEM
  std::int64_t demand = 0;      // DEM
  std::int64_t allocated = 0;   // AC
  std::int64_t waiting_jobs = 0;
  std::int64_t active_users = 0;  // leaves
  bool under_one_slot = false;    // g < 1 slot
  bool lends = true;              // what it does not want is given to others
  std::int64_t withheld = 0;      // what its siblings cannot have of its guarantee
  std::int64_t kept() const { return demand < guaranteed ? demand : guaranteed; }
};

// Queues that do not lend yet (lend_after), by class.
using NotLending = std::set<std::pair<QueueId, TaskKind>>;

// All queues of one class, by QueueId.
std::vector<ExpectedQueue> expect(const Census& census, TaskKind kind, const CapacityRules& rules,
                                  const NotLending& not_lending);

// Only GC, MAX and RUN: what holds under every policy.
std::vector<ExpectedQueue> expect_maximums(const Census& census, TaskKind kind);

// The slots up to which a user may go: `capacity` is C of capacity.md, "User limits", before RUN +
// need is looked at.
std::int64_t user_limit(const UserLimit& limit, std::int64_t guaranteed, std::int64_t capacity,
                        std::int64_t running, std::int64_t need, std::int64_t active_users);

}  // namespace weir::check
