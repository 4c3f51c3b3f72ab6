// The environment of a user's commands: of the tracker's own only what any program needs and what
// the settings name, the job's conf with everything but letters and digits turned into `_`, what
// the job sets itself, and what the task is: the variables that users of Hadoop streaming know (new
// and old names), and Weir's. Later ones win. Pure but for reading the process's environment.
#pragma once

#include <string>
#include <vector>

#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

std::vector<std::string> task_environment(const TaskSpec& spec);

// Of this process's environment what tasks may see: "NAME=value".
std::vector<std::string> passed_on(const std::vector<std::string>& named);
std::string passed_on_text(const std::vector<std::string>& named);  // for people
// Where programs of the attempt put temporary files.
std::string temporary_dir(const TaskSpec& spec);
std::string peers_file(const TaskSpec& spec);  // of a gang's member

}  // namespace weir::tasktracker
