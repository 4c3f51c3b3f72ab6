// The jobs of a benched cluster, submitted over the wire: job j stands in queue q<j mod Q>, of one
// of five users, and all have as many maps. Their reduces never start, so a map that is done needs
// no leave to be published. Blocks until the last is acknowledged; starts threads meanwhile.
#pragma once

#include <cstdint>

namespace weir::bench {

struct WireJobs {
  std::uint32_t jobs = 100;
  std::uint32_t queues = 10;
  std::uint32_t maps = 2'000'000;  // of all together
};
// Throws WireTrouble.
void submit_all(const WireJobs& jobs, std::uint16_t port);

}  // namespace weir::bench
