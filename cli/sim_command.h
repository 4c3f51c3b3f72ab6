// `weir sim`: runs a scenario file on the engine and the policies of the JobTracker, with virtual
// time and no process, socket or disk. It talks to no JobTracker. Exit codes: 0 every expectation
// held, 1 one did not, 2 the file is wrong. stdout and the files that it writes are the same bytes
// at every run of the same scenario; wall time goes to stderr. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_sim_command(CLI::App& app, Context& context);

}  // namespace weir::cli
