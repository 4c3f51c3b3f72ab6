#include "conf/policies.h"

#include <algorithm>
#include <type_traits>

#include "capacity/capacity_policy.h"
#include "capacity/container_capacity.h"
#include "conf/capacity_section.h"
#include "conf/fair_section.h"
#include "fair/container_fair.h"
#include "fair/fair_policy.h"
#include "fifo/container_fifo.h"
#include "fifo/fifo_policy.h"

namespace weir {
namespace {

template <class Made>
std::unique_ptr<Policy> make(const ClusterState& state, PolicyMemory& memory) {
  if constexpr (std::is_constructible_v<Made, const ClusterState&, PolicyMemory&>) {
    return std::make_unique<Made>(state, memory);
  } else {
    return std::make_unique<Made>(state);  // it remembers nothing
  }
}

constexpr PolicyEntry kPolicies[] = {
    {.name = "capacity",
     .make = make<CapacityPolicy>,
     .make_of_containers = make<ContainerCapacity>,
     .read = read_capacity,
     .describe = describe_capacity,
     .notices = capacity_notices},
    {.name = "fair",
     .make = make<FairPolicy>,
     .make_of_containers = make<ContainerFair>,
     .read = read_fair,
     .describe = describe_fair,
     .parts = fair_parts,
     .notices = fair_notices},
    {.name = "fifo", .make = make<FifoPolicy>, .make_of_containers = make<ContainerFifo>},
};

}  // namespace

PolicyTable policy_table() {
  return kPolicies;
}

std::vector<std::string> policy_names(PolicyTable policies) {
  std::vector<std::string> names;
  for (const PolicyEntry& policy : policies) names.emplace_back(policy.name);
  return names;
}

const PolicyEntry* find_policy(std::string_view name, PolicyTable policies) {
  const auto found = std::find_if(policies.begin(), policies.end(),
                                  [&](const PolicyEntry& policy) { return policy.name == name; });
  return found == policies.end() ? nullptr : &*found;
}

PolicyFactory policy_factory(PolicyTable policies) {
  return [policies](std::string_view name, const ClusterState& state,
                    PolicyMemory& memory) -> std::unique_ptr<Policy> {
    const PolicyEntry* policy = find_policy(name, policies);
    if (policy == nullptr) return nullptr;
    const auto make = state.space().containers() ? policy->make_of_containers : policy->make;
    return make == nullptr ? nullptr : make(state, memory);
  };
}

std::shared_ptr<const PolicySettings> settings_of(const Settings& settings,
                                                  const PolicyEntry& policy) {
  if (policy.read == nullptr) return nullptr;
  const auto found = settings.policies.find(std::string(policy.name));
  if (found != settings.policies.end() && found->second) return found->second;
  Diagnostics unused("");
  return policy.read(nullptr, {}, std::nullopt, unused);
}

}  // namespace weir
