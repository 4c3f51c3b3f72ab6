// What may keep one task of a job from one tracker, judged on a census: the maximum of its queue
// and of those above, a hard limit of its user, trackers it has failed on. Each answer says why,
// with numbers. Pure functions, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/checker/census.h"
#include "sim/checker/expected.h"

namespace weir::check {

// Whether the queue or one above it would go over its maximum; says which.
std::optional<std::string> over_maximum(const Census& census,
                                        const std::vector<ExpectedQueue>& lines, QueueId leaf,
                                        std::int64_t width);
// The same where only queues that declare a maximum have one, as under policies that guarantee
// nothing.
std::optional<std::string> over_declared_maximum(const Census& census,
                                                 const std::vector<ExpectedQueue>& lines,
                                                 QueueId leaf, std::int64_t width);
// Whether the job's user would go over a hard limit.
std::optional<std::string> over_hard_limit(const Census& census,
                                           const std::vector<ExpectedQueue>& lines,
                                           const JobCount& job, TaskKind kind);
// Whether a pending task of the job may run on the tracker: a retry goes elsewhere if it can.
// Asked of those tasks that `suits` says.
bool has_task_for(
    const Census& census, const JobCount& job, TaskKind kind, const TrackerState& tracker,
    const std::function<bool(std::uint32_t)>& suits = [](std::uint32_t) { return true; });

}  // namespace weir::check
