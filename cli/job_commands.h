// `weir job ...`: list, status, explain, wait, kill, move, priority. IDs are job names (job_0007)
// or numbers (7). `weir job logs` has its own file. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_job_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
