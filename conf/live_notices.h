// What is noteworthy about settings on the cluster as it is now, and was not to be seen in the file
// alone. Under the capacity policy: guarantees worth less than one slot, slot counts that are
// scaled, user limits that leave part of a guarantee unused. Under the fair policy: minimum shares
// that are more than there is, queues whose jobs can go into no pool. Computed anew whenever
// somebody asks (`weir policy show`, `weir conf diff`, the log of an apply), so it is never out of
// date. Pure function, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/resources.h"
#include "jobqueue/model/settings.h"

namespace weir {

// One line each, `FILE: warning: ...`; nothing about a class in which the cluster has no slots. A
// kind of finding that many queues share names the first few and counts the rest.
// `policy` rules, whatever the settings say.
std::vector<std::string> live_notices(const Settings& settings, std::string_view policy,
                                      const Resources& total);

}  // namespace weir
