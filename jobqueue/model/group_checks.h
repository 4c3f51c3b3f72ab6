// What is refused of an application's groups, whatever the cluster; see submission_checks.h. Pure
// functions, any thread.
#pragma once

#include <string_view>
#include <vector>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

// a-z 0-9 _ -, a letter first, and not m or r, which are maps and reduces in names of tasks.
bool is_group_name(std::string_view name);
inline constexpr std::string_view kGroupNameAllowed = "a-z 0-9 _ -, a letter first, not m or r";

// The first thing that is wrong. `service`: of a job that runs until it is killed.
Status check_groups(const std::vector<TaskGroupSpec>& groups, bool service);

}  // namespace weir
