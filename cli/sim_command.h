// `weir sim`: runs a scenario file on the engine and the policies of the JobTracker, with virtual
// time and no process, socket or disk. It talks to no JobTracker. Exit codes: 0 every expectation
// held, 1 one did not, 2 the file is wrong. stdout and the files that it writes are the same bytes
// at every run of the same scenario; wall time goes to stderr. One thread.
#pragma once

#include <string>

#include "cli/context.h"
#include "jobqueue/policy/policy.h"
#include "sim/observer.h"

namespace weir::cli {

struct SimOptions {
  std::string scenario;
  std::string events;
  std::string samples;
  std::string report;
  bool summary = false;
  std::string check;  // empty: full, with a trace sampled
};

void add_sim_command(CLI::App& app, Context& context);

// For whoever runs scenarios in another way, too.
void add_sim_options(CLI::App& command, SimOptions& options);
// Under these policies; `before_checker` sees every step before the checker does, and may be null.
// Returns the exit code.
int run_scenario(Context& context, const SimOptions& options, const PolicyFactory& policies,
                 Observer* before_checker);

}  // namespace weir::cli
