// `weir run`: an application, from a job file or from one command, off to the JobTracker.
// Everything that can be found wrong here is refused here (exit code 2). One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_run_command(CLI::App& app, Context& context);

}  // namespace weir::cli
