// Free slots, and whom the order of slots would give them to next (capacity.md, "Which queue, which
// job"), slot by slot and by that page alone: held ones to whom they are held for, then claims by
// deadline, then steps 3 to 5 at each level of the tree. Exact where every wanted task needs one
// slot and nothing is reserved; elsewhere widths and places matter, and there are only bounds.
// Shares no code with the policies. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/checker/census.h"
#include "sim/checker/expected.h"

namespace weir::check {

struct FreeSlots {
  explicit FreeSlots(const Census& census, TaskKind kind);
  std::int64_t on(TrackerId tracker) const;
  std::int64_t all = 0;                        // of the trackers in the pool
  std::map<TrackerId, std::int64_t> by_place;  // those with any
};

struct Dealt {
  std::int64_t least = 0, most = 0;
};
struct Dealing {
  ClaimId before = UINT64_MAX;           // claims with ids below this count
  std::map<QueueId, std::int64_t> own;  // what leaves may fill again before all others
};
// What each leaf would get of the free slots; leaves that are not named get nothing.
std::map<QueueId, Dealt> deal(const Census& census, TaskKind kind, const FreeSlots& free,
                              const std::vector<ExpectedQueue>& lines, const Dealing& dealing);

}  // namespace weir::check
