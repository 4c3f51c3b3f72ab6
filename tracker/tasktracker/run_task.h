// One attempt's process: the hidden subcommand `weir run-task SPEC_FILE`. Commands of the agent
// come on descriptor 0, reports go to descriptor 3, messages of its own to stderr. It adopts every
// orphan of the user's commands (subreaper) and kills what is left before it ends.
#pragma once

#include <string>

namespace weir {

// Returns the exit status; 0 also when the task failed, since the report says so.
int run_task_main(const std::string& spec_path);

}  // namespace weir
