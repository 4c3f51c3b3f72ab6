// `weir bench store`: runs store_bench and prints what it measured beside the bars, as a table or
// as JSON. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_bench_store_command(CLI::App& group, Context& context);

}  // namespace weir::cli
