// `weir-lab experiment`: the published experiments run again on the JobTracker's own engine, and
// their table beside the published numbers.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_experiment_command(CLI::App& app, Context& context);

}  // namespace weir::cli
