// `weir job ...`: list, status, explain. IDs are job names (job_0007) or numbers (7). What changes
// or waits for several jobs is in job_steering.h, `weir job logs` in job_logs.h. One thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_job_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
