// `weir bench sort`: how fast a real job sorts beside sort(1) (sort_bench.h), as a table with the
// bar it should reach or as JSON. One thread.
#pragma once

#include <CLI/App.hpp>

#include "cli/context.h"

namespace weir::cli {

void add_bench_sort_command(CLI::App& group, Context& context);

}  // namespace weir::cli
