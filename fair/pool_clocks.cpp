#include "fair/pool_clocks.h"

#include <algorithm>

namespace weir {

void follow_clocks(PolicyMemory& memory, const std::string& pool, std::size_t place,
                   bool below_min, bool below_half) {
  const auto known = memory.pools.find(pool);
  if (known == memory.pools.end() && !below_min && !below_half) return;
  PoolStamps& stamps = known == memory.pools.end() ? memory.pools[pool] : known->second;
  const auto follow = [&](TimeMs& stamp, bool below) {
    if (!below) stamp = kNever;
    if (below && stamp == kNever) stamp = memory.updated_at;
  };
  follow(stamps.at_min_share[place], below_min);
  follow(stamps.at_half_share[place], below_half);
}

void forget_clocks(PolicyMemory& memory, const PoolTree& tree) {
  std::erase_if(memory.pools, [&](const auto& entry) {
    const auto nothing = [](TimeMs stamp) { return stamp == kNever; };
    const PoolStamps& stamps = entry.second;
    return !tree.find(entry.first).valid() ||
           (std::all_of(stamps.at_min_share.begin(), stamps.at_min_share.end(), nothing) &&
            std::all_of(stamps.at_half_share.begin(), stamps.at_half_share.end(), nothing));
  });
}

bool beyond(TimeMs now, TimeMs stamp, DurationMs timeout) {
  return stamp != kNever && timeout != kNever && now - stamp > timeout;
}

}  // namespace weir
