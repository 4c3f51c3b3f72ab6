// Groups of an application on the wire, both ways. What a client sends is checked (check_groups)
// before it is read. Pure functions, any thread.
#pragma once

#include <vector>

#include "common_types.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

// All that can be refused of an application's groups, whatever the cluster; and that nothing is
// said that only maps and reduces have.
Status check_application(const wire::JobSpec& spec);

std::vector<TaskGroupSpec> groups_from_wire(const wire::JobSpec& spec);  // checked
std::vector<wire::TaskGroup> groups_to_wire(const JobSpec& spec);

}  // namespace weir
