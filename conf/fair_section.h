// The `fair:` section of weir.yaml, with the allocations file that it may name, to FairSettings and
// back to words for `conf diff`; and what is noteworthy under the fair policy on the cluster as it
// is: minimum shares that are more than there is, queues whose jobs can go into no pool. Keys and
// defaults: docs/fair.md. Pure functions, any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conf/policies.h"

namespace weir {

std::shared_ptr<const PolicySettings> read_fair(const YamlNode* section,
                                                const ResourceSettings& resources,
                                                const Allocations& allocations, Diagnostics& out);
KeyValues describe_fair(const PolicySettings& settings, const Space& space);
// Pools, then users.
std::vector<SettingsPart> fair_parts(const PolicySettings& settings, const Space& space);
std::vector<std::string> fair_notices(const Settings& settings, const QueueTree& tree,
                                      const Resources& total);

// The words of the settings, in the order of the enums.
inline constexpr std::string_view kFairAlgorithms[] = {"share", "deficit"};
inline constexpr std::string_view kFairPreemption[] = {"off", "log_only", "on"};

}  // namespace weir
