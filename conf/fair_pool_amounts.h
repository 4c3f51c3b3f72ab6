// What a pool says where containers count: how its children share, and its bounds in the dimensions
// that it names (`min_share: {memory_mb: 8192}`).
#pragma once

#include "conf/yaml_reader.h"
#include "fair/fair_settings.h"
#include "jobqueue/model/space.h"

namespace weir {

void read_pool_amounts(const MapReader& pool, const Space& space, PoolSettings& settings);
// Rules between the values, and what a pool with pools of its own may not say.
void check_pool_amounts(const MapReader& pool, const Space& space, bool has_pools,
                        const PoolSettings& settings);

}  // namespace weir
