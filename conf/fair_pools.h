// The pools of the fair policy and what belongs to them: the keys `pools`, `users` and `defaults`,
// which stand in the `fair:` section or in an allocations file of their own. Pools are a tree; a
// child stands within its parent's `pools:`, or names its place by a dotted path (`name: a.b`,
// which makes `a` if nothing else does). A leading `root.` is dropped at the top. What a pool does
// not say is filled in from `defaults`, wherever these stand.
#pragma once

#include <cstddef>

#include "conf/yaml_reader.h"
#include "fair/fair_settings.h"
#include "jobqueue/model/space.h"

namespace weir {

inline constexpr std::size_t kMaxPools = 10'000;
inline constexpr std::size_t kMaxPoolDepth = 32;

// The map that has the key; null: none has. What is wrong goes to that map's Diagnostics.
struct PoolKeys {
  const MapReader* defaults = nullptr;
  const MapReader* users = nullptr;
  const MapReader* pools = nullptr;  // whose `pools:` is a list
};
void read_pool_keys(const PoolKeys& keys, const Space& space, FairSettings& settings);

}  // namespace weir
