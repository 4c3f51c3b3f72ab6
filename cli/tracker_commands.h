// `weir tracker list|show|drain|stop|resume`: the trackers that do the running, how they are, and
// what is wanted of them. The daemon itself is in daemon_commands. One thread.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/table.h"
#include "client_types.h"

namespace weir::cli {

// Whether it was heard of since the JobTracker started: one that the store names may not be back
// yet (AWAITED), or reports but has still to register again (RETURNING).
bool is_back(const wire::TrackerStatus& tracker);
Table tracker_table(const std::vector<wire::TrackerStatus>& trackers);

// Below `weir tracker`.
void add_tracker_commands(CLI::App& tracker_command, Context& context);

}  // namespace weir::cli
