// What a job says that changes nothing: entries of its conf, by names of Hadoop or of Weir, but for
// the environment of the job's tasks, where all are (other names are the user's own, for his
// programs); and what its groups say. Pure, any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/job_spec.h"

namespace weir {

// A line each, by name: "setting io.sort.mb has no effect here but in the environment of the tasks:
// say --sort-memory". `pool_property`: the one by which jobs name their pool beside `pool`, as the
// settings say.
std::vector<std::string> conf_without_effect(const std::map<std::string, std::string>& conf,
                                             bool has_reduces, std::string_view pool_property);

// "group b: on_member: replace has no effect: the group has no gang"; a line each.
std::vector<std::string> groups_without_effect(const std::vector<TaskGroupSpec>& groups);

}  // namespace weir
