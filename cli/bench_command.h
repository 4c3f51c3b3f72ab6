// `weir bench sched`: runs the closed loop of bench/ and prints what it measured, as a table with
// the bars it should reach or as JSON. With a terminal on stderr it says how far it is. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_bench_command(CLI::App& app, Context& context);

}  // namespace weir::cli
