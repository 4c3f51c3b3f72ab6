// `weir jobtracker` and `weir tracker`: options to the daemons' own main functions. A tracker may
// be pointed at either port of the JobTracker: if the one that is given is the clients', it is
// asked for the other. One thread until the daemon takes over.
#pragma once

#include <string>

#include "cli/context.h"

namespace weir::cli {

void add_daemon_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
