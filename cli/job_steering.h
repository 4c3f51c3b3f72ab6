// `weir job kill|move|priority|release|wait`: commands about several jobs, named by their IDs or by
// a selection (cli/job_selection.h). Each job's outcome is a line of its own, and a job that is
// refused does not stop the others; if all were refused alike the exit code is that of the refusal,
// if only some were, 1. A single ID is answered as one job, not as a list. One thread.
#pragma once

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

void add_job_steering(CLI::App& group, Context& context);

}  // namespace weir::cli
