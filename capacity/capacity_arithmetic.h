// The arithmetic of the capacity policy, on numbers alone: water-filling, the allocated capacity of
// one family of sibling queues. (What queues are guaranteed: queue_guarantees.h.)
// Every function is pure and exact: 64-bit values, 128-bit products, no floating point, so that
// every build decides the same. Results are in the order of the input, which is the order of the
// file, and ties are settled by it. A tree is worked from the top, one family at a time: the
// family's total is what its parent has, so siblings share first and only what all of them cannot
// use was lent away a level above. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capacity/capacity_settings.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/settings.h"

namespace weir {

// One who takes part in a filling: at most `cap`, in proportion to `weight` among those of its
// `rank`; a higher rank is served only from what all lower ranks leave. Weight 0 takes nothing.
struct Taker {
  std::int64_t cap = 0;
  std::int64_t weight = 0;
  int rank = 0;
};
// Fills the takers with min(amount, sum of caps of those with weight): exactly, as real numbers,
// what one cannot take going round again; then rounded once by largest remainder.
std::vector<std::int64_t> water_fill(std::int64_t amount, const std::vector<Taker>& takers);

// What the allocation of a queue among its siblings depends on.
struct QueueNeed {
  std::int64_t guaranteed = 0;  // GC
  std::int64_t demand = 0;      // DEM, already cut at MAX
  std::int64_t weight = 0;      // g as a ratio among siblings; 0: guaranteed nothing at all
  std::int64_t waiting_jobs = 0;
};
// AC of each sibling; the sum is `total`, what their parent has allocated. Everyone keeps
// min(GC, DEM); the rest goes to those who want more than their GC, and what nobody wants stays
// with those who do not use theirs, in proportion to what they leave.
std::vector<std::int64_t> allocate(std::int64_t total, const std::vector<QueueNeed>& siblings,
                                   CapacitySettings::RedistributeBy by);

}  // namespace weir
