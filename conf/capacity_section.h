// The `capacity:` section of weir.yaml to CapacitySettings and back to words for `conf diff`; and
// what is noteworthy about queues under the capacity policy on the cluster as it is: guarantees
// worth less than one slot, slot counts that are scaled, user limits that leave part of a guarantee
// unused. Keys and defaults: docs/capacity.md. Pure functions, any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conf/policies.h"

namespace weir {

std::shared_ptr<const PolicySettings> read_capacity(const YamlNode* section,
                                                    const ResourceSettings&, const Allocations&,
                                                    Diagnostics& out);
KeyValues describe_capacity(const PolicySettings& settings, const Space& space);
std::vector<std::string> capacity_notices(const Settings& settings, const QueueTree& tree,
                                          const Resources& total);

}  // namespace weir
