// What pools may kill for and whom (fair.md, "Preemption"): what a pool has lacked for too long, in
// whole slots, and what a pool that loses a task must keep. By the definitions, in exact rationals.
// Pure functions, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/checker/pools.h"
#include "sim/checker/step.h"

namespace weir::check {

inline const Rational kHair(1, 1'000'000);  // what the digits of a share may hide

// What a pool is due: of its minimum, of its fair share, each only beyond its timeout.
struct Due {
  bool minimum = false, fair = false;  // beyond which timeout
  std::int64_t minimum_slots = 0, fair_slots = 0;
  std::int64_t slots() const { return std::max(minimum_slots, fair_slots); }
};
Due due_of(const std::string& pool, TaskKind kind, const PoolRules& rules, const PoolMemory& memory,
           TimeMs now);  // the timeouts alone
Due due_of(const Pools& pools, const std::string& pool, const PoolMemory& memory, TimeMs now);

// Whole slots of a pool's minimum share, scaled where minimums total more than there is.
std::int64_t owed_minimum(const PoolLine& line);

// A task that might die.
struct Loss {
  std::string pool;  // its leaf
  JobId job;
  std::int64_t slots = 0;
};
// For whom: a pool, for its minimum or for half of its share, and what is on its way to it.
struct Gain {
  std::string needy;
  bool for_minimum = false;
  std::int64_t coming = 0;  // at least so many slots
};
// Who must not lose so much, by the pools' shares; `gone`: slots of jobs that died before.
std::optional<std::string> must_keep(const Pools& pools, const JobPools& where, const Loss& loss,
                                     const Gain& gain, const std::map<JobId, std::int64_t>& gone);
// Whether the job stays at its own share or above it.
bool stays_at_share(const Pools& pools, const FairRules& rules, const Loss& loss,
                    const std::map<JobId, std::int64_t>& gone);

// Slots that are held since this step (checks_pool_holds.cpp).
void check_pool_holds(const Step& step, const Pools& pools, const PoolMemory& memory,
                      Verdict& verdict);

}  // namespace weir::check
