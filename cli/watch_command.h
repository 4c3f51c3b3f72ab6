// `weir watch [ID...]`: jobs and the queues' slots as they move, to the end of the jobs. On a
// terminal a block is redrawn in place, a progress bar a job and a line a queue; elsewhere plain
// lines when something changed, seconds apart. Which jobs is decided at the start: those named,
// else all that are unfinished then. One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "views/queue_view.h"

namespace weir::cli {

// `queue research: maps 6 guaranteed, 8 allocated, 8 running, 12 pending; reduces ...`
std::string queue_line(const QueueView& queue);

void add_watch_command(CLI::App& app, Context& context);

}  // namespace weir::cli
