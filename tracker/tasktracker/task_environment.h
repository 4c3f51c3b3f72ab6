// The environment of a user's commands: the tracker's own, the variables that users of Hadoop
// streaming know (new and old names), the job's conf with everything but letters and digits turned
// into `_`, and what the job sets itself. Later ones win. Pure but for reading the process's
// environment.
#pragma once

#include <string>
#include <vector>

#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

std::vector<std::string> task_environment(const TaskSpec& spec);

}  // namespace weir::tasktracker
