// What a change of settings would mean: what each queue is guaranteed and may have at most before
// and after, in slots or in amounts of each dimension, on the cluster as it is, where the jobs of
// removed queues go, what is noteworthy about it, and the other settings line by line. Pure
// functions, any thread.
#pragma once

#include "jobqueue/model/resources.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"
#include "views/settings_view.h"

namespace weir {

// Queues in the order of the new settings, then those that are gone. Fails if either has no valid
// queue tree.
Result<SettingsDiffView> diff_of_settings(const Settings& before, const Settings& after,
                                          std::string_view policy, const Resources& total);

}  // namespace weir
