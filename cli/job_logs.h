// `weir job logs ID`: what an attempt wrote to its stderr and what its tracker noted about it,
// fetched from the tracker that keeps it. Without --attempt the attempt that explains most is
// chosen: the newest that failed, else the newest. One thread.
#pragma once

#include <vector>

#include "cli/context.h"
#include "views/attempt_view.h"

namespace weir::cli {

// The one to show; null if there is none. `name` is as of `weir job logs --list`; empty: the most
// telling.
const AttemptView* choose_attempt(const std::vector<AttemptView>& attempts,
                                        const std::string& name);

void add_job_logs(CLI::App& job_command, Context& context);

}  // namespace weir::cli
