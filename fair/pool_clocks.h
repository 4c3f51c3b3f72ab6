// Since when pools have been short of their minimum shares, and of half of their fair shares
// (fair.md, "Preemption"; containers.md 5.7). A pool that is not short has no stamp: it was not at
// the last update. One that is keeps the time of the last update at which it was not. Kept in
// PolicyMemory; on the engine's thread.
#pragma once

#include <cstddef>
#include <string>

#include "fair/pool_tree.h"
#include "jobqueue/policy/policy_memory.h"

namespace weir {

// Of one class; where containers count they are in the first.
void follow_clocks(PolicyMemory& memory, const std::string& pool, std::size_t place,
                   bool below_min, bool below_half);
// Stamps that say nothing, and those of pools that are gone.
void forget_clocks(PolicyMemory& memory, const PoolTree& tree);

// For how long it has been short, which was at its share at `stamp`; 0: it is not.
inline DurationMs passed(TimeMs now, TimeMs stamp) { return stamp == kNever ? 0 : now - stamp; }
// Whether a pool that was at its share at `stamp` and not since has been short for too long.
bool beyond(TimeMs now, TimeMs stamp, DurationMs timeout);

}  // namespace weir
