// `weir bench rpc`: what the wire costs beside a bare echo (rpc_bench.h), as a table with the bars
// it should reach or as JSON. One thread.
#pragma once

#include <CLI/App.hpp>

#include "cli/context.h"

namespace weir::cli {

void add_bench_rpc_command(CLI::App& group, Context& context);

}  // namespace weir::cli
