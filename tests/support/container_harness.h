// The harness where containers count, under the simplest policy, for tests of the mechanism.
#pragma once

#include <map>
#include <string>

#include "fifo/container_fifo.h"
#include "support/harness.h"

namespace weir::test {

inline PolicyFactory fifo_of_containers() {
  return [](std::string_view, const ClusterState& state, PolicyMemory&) -> std::unique_ptr<Policy> {
    return std::make_unique<ContainerFifo>(state);
  };
}

struct ContainerHarness : Harness {
  ContainerHarness() : Harness(fifo_of_containers(), "fifo") {
    settings().resources.mode = ResourceSettings::Mode::kContainers;
  }
  void register_tracker(const std::string& name, const Resources& total,
                        std::map<std::string, std::int64_t> named = {}, std::uint32_t ports = 0) {
    tracker(name).incarnation = 7;
    RegisterTracker registration;
    registration.name = name;
    registration.incarnation = 7;
    registration.host = name;
    registration.total = total;
    registration.named = std::move(named);
    registration.port_count = ports;
    step(registration);
  }
};

}  // namespace weir::test
