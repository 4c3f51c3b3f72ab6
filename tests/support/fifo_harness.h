// The harness under the simplest policy, for tests of the mechanism.
#pragma once

#include "fifo/fifo_policy.h"
#include "support/harness.h"

namespace weir::test {

inline PolicyFactory fifo_only() {
  return [](std::string_view name, const ClusterState& state,
            PolicyMemory&) -> std::unique_ptr<Policy> {
    if (name != "fifo") return nullptr;
    return std::make_unique<FifoPolicy>(state);
  };
}

struct FifoHarness : Harness {
  FifoHarness() : Harness(fifo_only(), "fifo") {}
};

}  // namespace weir::test
