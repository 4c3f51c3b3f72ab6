// What of a job's --conf does not do here what it does in Hadoop. Every entry is in the environment
// of the tasks, so a program may look at any; but one that Hadoop itself goes by, and Weir does not,
// is named, with the option that does it if there is one. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace weir::cli {

// A sentence each, in order of the keys. `reduces`: of the job; without any lines are not told apart.
std::vector<std::string> conf_warnings(const std::map<std::string, std::string>& conf,
                                       bool reduces);

}  // namespace weir::cli
