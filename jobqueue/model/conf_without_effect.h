// Which entries of a job's conf, by names of Hadoop or of Weir, change nothing here but the
// environment of the job's tasks, where all are. Other names are the user's own, for his programs.
// Pure, any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace weir {

// A line each, by name: "setting io.sort.mb has no effect here but in the environment of the tasks:
// say --sort-memory".
std::vector<std::string> conf_without_effect(const std::map<std::string, std::string>& conf,
                                             bool has_reduces);

}  // namespace weir
