// `weir queue ...` and `weir tracker list`: what the queues are guaranteed, allocated, running and
// waiting for, and the trackers that do the running. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/table.h"
#include "client_types.h"

namespace weir::cli {

Table tracker_table(const std::vector<wire::TrackerStatus>& trackers);

void add_queue_commands(CLI::App& app, Context& context);
void add_tracker_list(CLI::App& tracker_command, Context& context);

}  // namespace weir::cli
