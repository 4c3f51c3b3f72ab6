#include "lab/fault_fuzz_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "lab/faults/fault_fuzz.h"
#include "lab/fuzz_bar.h"

namespace weir::cli {
namespace {

using faults::FaultFuzzReport;

void show_faults(Context& context, const FaultFuzzReport& report) {
  if (context.json()) {
    Json struck = Json::object();
    for (std::size_t i = 0; i < faults::kFaultKinds; ++i) {
      struck[std::string(faults::name(static_cast<faults::Fault>(i)))] = report.struck[i];
    }
    print_json(context.out, {{"seeds", report.seeds},
                             {"on_sqlite", report.on_sqlite},
                             {"of_containers", report.of_containers},
                             {"jobs", report.jobs},
                             {"inputs", report.inputs},
                             {"jobtracker_starts", report.starts},
                             {"faults", struck}});
    return;
  }
  Table table({{"FAULT"},
               {.header = "TIMES", .right = true},
               {.header = "WHAT", .least_width = 20}});
  for (std::size_t i = 0; i < faults::kFaultKinds; ++i) {
    const auto fault = static_cast<faults::Fault>(i);
    table.add({std::string(faults::name(fault)), std::to_string(report.struck[i]),
               std::string(faults::says(fault))});
  }
  context.out << table.render(context.columns());
  context.out << fmt::format(
      "{} seeds ({} of them on SQLite, {} of containers), {} inputs, {} jobs, {} starts of a "
      "JobTracker: all that was promised held\n",
      report.seeds, report.on_sqlite, report.of_containers, report.inputs, report.jobs,
      report.starts);
}

}  // namespace

int run_fault_stories(Context& context, const FuzzFlags& flags, std::ostream* events) {
  faults::FaultFuzzOptions options;
  options.first_seed = flags.first_seed;
  options.seeds = flags.seeds;
  options.events = events;
  if (!flags.plant.empty()) {
    const auto planted = faults::parse_planted(flags.plant);
    if (!planted) {
      throw wrong_use(fmt::format("--plant {}: no such error; there are {}", flags.plant,
                                  fmt::join(faults::planted_names(), ", ")));
    }
    options.planted = *planted;
  }
  FuzzBar bar(context, options.seeds);
  const FaultFuzzReport report = faults::run_fault_fuzz(
      options, policy_factory(), [&](std::uint64_t done) { bar.show(done); });
  bar.clear();
  if (report.failed_seed) {
    const std::string plant = flags.plant.empty() ? "" : " --plant " + flags.plant;
    throw CliFailure::findings(
        kExitNotSo, {fmt::format("seed {}: {}", *report.failed_seed, report.what),
                     fmt::format("again: weir-lab fuzz --only faults --first-seed {} --seeds 1{}",
                                 *report.failed_seed, plant)});
  }
  if (events != &context.out) show_faults(context, report);
  context.err << fmt::format("{:.1f} s, {:.1f} seeds a second\n", bar.seconds(),
                             static_cast<double>(report.seeds) / bar.seconds());
  return kExitDone;
}

}  // namespace weir::cli
