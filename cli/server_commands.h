// `weir version` (of this binary) and `weir info` (of the JobTracker that answers). One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_server_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
