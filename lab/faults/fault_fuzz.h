// Seed after seed of the fault simulation (fault_story.h). The first thing that goes wrong ends the
// run and names the seed, which alone brings it back. Deterministic but for where SQLite files
// stand; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "jobqueue/policy/policy.h"
#include "lab/faults/plant.h"
#include "lab/faults/swarm.h"

namespace weir::faults {

struct FaultFuzzOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1000;
  Planted planted = Planted::kNone;
  bool sqlite = true;              // else every store is in memory
  std::ostream* events = nullptr;  // as of `weir sim --events`
};

struct FaultFuzzReport {
  std::uint64_t seeds = 0;
  std::uint64_t on_sqlite = 0;  // of these
  std::uint64_t of_containers = 0;
  std::uint64_t jobs = 0;
  std::uint64_t inputs = 0;
  std::uint64_t starts = 0;  // of JobTrackers
  Swarm::Counts struck{};
  std::optional<std::uint64_t> failed_seed;
  std::string what;  // went wrong in it
};

// `progress` is told the number of seeds done.
FaultFuzzReport run_fault_fuzz(const FaultFuzzOptions& options, const PolicyFactory& factory,
                               const std::function<void(std::uint64_t)>& progress);

}  // namespace weir::faults
