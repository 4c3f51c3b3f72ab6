// `weir queue ...` and `weir tracker list`: what the queues are guaranteed, allocated, running and
// waiting for, and the trackers that do the running. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/table.h"
#include "client_types.h"

namespace weir::cli {

// Children stand under their parent, indented. A cell `3/5` cannot be misread: each figure has a
// column of its own.
Table queue_table(const std::vector<wire::QueueStatus>& queues);
std::string queue_details(const wire::QueueStatus& queue);
Table tracker_table(const std::vector<wire::TrackerStatus>& trackers);

void add_queue_commands(CLI::App& app, Context& context);
void add_tracker_list(CLI::App& tracker_command, Context& context);

}  // namespace weir::cli
