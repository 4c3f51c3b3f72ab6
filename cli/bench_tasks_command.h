// `weir bench tasks`: how fast real short tasks are beside a bare loop (tasks_bench.h), as a table
// with the bars they should reach or as JSON. One thread.
#pragma once

#include <CLI/App.hpp>

#include "cli/context.h"

namespace weir::cli {

void add_bench_tasks_command(CLI::App& group, Context& context);

}  // namespace weir::cli
