#include "lab/faults/fault_fuzz.h"

#include "lab/faults/fault_story.h"

namespace weir::faults {

FaultFuzzReport run_fault_fuzz(const FaultFuzzOptions& options, const PolicyFactory& factory,
                               const std::function<void(std::uint64_t)>& progress) {
  FaultFuzzReport report;
  for (std::uint64_t seed = options.first_seed; report.seeds < options.seeds; ++seed) {
    FaultStory story({.seed = seed,
                      .planted = options.planted,
                      .sqlite = options.sqlite,
                      .events = options.events},
                     factory);
    const auto wrong = story.run();
    ++report.seeds;
    report.on_sqlite += story.on_sqlite() ? 1 : 0;
    report.of_containers += story.of_containers() ? 1 : 0;
    report.jobs += story.jobs();
    report.inputs += story.inputs();
    report.starts += story.starts();
    for (std::size_t i = 0; i < kFaultKinds; ++i) report.struck[i] += story.swarm().struck()[i];
    if (wrong) {
      report.failed_seed = seed;
      report.what = *wrong;
      return report;
    }
    progress(report.seeds);
  }
  return report;
}

}  // namespace weir::faults
