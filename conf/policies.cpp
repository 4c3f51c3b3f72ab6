#include "conf/policies.h"

#include "capacity/capacity_policy.h"
#include "fair/fair_policy.h"
#include "fifo/fifo_policy.h"

namespace weir {

PolicyFactory policy_factory() {
  return [](std::string_view name, const ClusterState& state,
            PolicyMemory& memory) -> std::unique_ptr<Policy> {
    if (name == "capacity") return std::make_unique<CapacityPolicy>(state, memory);
    if (name == "fair") return std::make_unique<FairPolicy>(state, memory);
    if (name == "fifo") return std::make_unique<FifoPolicy>(state);
    return nullptr;
  };
}

}  // namespace weir
