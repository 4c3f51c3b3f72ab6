// What is noteworthy about settings on the cluster as it is now, and was not to be seen in the file
// alone: the policy that rules says what (capacity_section.h, fair_section.h). Computed anew
// whenever somebody asks (`weir policy show`, `weir conf diff`, the log of an apply), so it is
// never out of date. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/policies.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/settings.h"

namespace weir {

// One line each, `FILE: warning: ...`; nothing about a class in which the cluster has no slots. A
// kind of finding that many queues share names the first few and counts the rest.
// `policy` rules, whatever the settings say.
std::vector<std::string> live_notices(const Settings& settings, std::string_view policy,
                                      const Resources& total,
                                      PolicyTable policies = policy_table());

// For such a line: the first few, with commas, and how many more there are.
std::string first_few(std::vector<std::string> names);

}  // namespace weir
