// `weir queue ...`: what the queues are guaranteed, allocated, running and waiting for. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_queue_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
