// `weir policy show` and `weir policy set NAME`. Which names there are is the JobTracker's to say.
// One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_policy_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
