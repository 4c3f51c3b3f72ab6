// `weir tracker list|show|drain|stop|resume`: the trackers that do the running, how they are, and
// what is wanted of them. The daemon itself is in daemon_commands. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/table.h"
#include "views/tracker_view.h"

namespace weir::cli {

Table tracker_table(const std::vector<TrackerView>& trackers);
// In a list: what is wrong with it, or was said with an order.
std::string health_of(const TrackerView& tracker);

// Below `weir tracker`.
void add_tracker_commands(CLI::App& tracker_command, Context& context);

}  // namespace weir::cli
