#include "conf/policies.h"

#include "capacity/capacity_policy.h"
#include "fair/fair_policy.h"
#include "fifo/fifo_policy.h"

namespace weir {

PolicyFactory policy_factory() {
  return [](std::string_view name, const ClusterState& state,
            const Settings& settings) -> std::unique_ptr<Policy> {
    if (name == "capacity") return std::make_unique<CapacityPolicy>(state, settings);
    if (name == "fair") return std::make_unique<FairPolicy>(state, settings);
    if (name == "fifo") return std::make_unique<FifoPolicy>(state, settings);
    return nullptr;
  };
}

}  // namespace weir
