// Jobs of one queue or pool in the order in which the ruling policy serves them. The policy is
// asked about two jobs at a time, some hundred times in one look (look_in_pieces.h): no list that
// somebody wants to see makes a heartbeat wait.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "jobqueue/model/ids.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {

inline constexpr std::size_t kJobsInServiceOrder = 1'000;  // of a list, at most

// `jobs` are PENDING or RUNNING; those that are not any more come last. Runs `then` once: at once
// where there is nothing to sort, else off the engine's thread.
void sort_by_service(EngineLoop& loop, const Asker& asker, std::vector<JobId> jobs, TaskKind kind,
                     std::function<void(std::vector<JobId>)> then);

}  // namespace weir
