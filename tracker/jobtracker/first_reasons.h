// Why the jobs of a list wait: the first of the reasons of each. The engine looks at a few at a
// time, so that heartbeats come in between.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {

using FirstReasons = std::map<JobId, std::string>;

inline constexpr std::size_t kJobsExplained = 100;  // of a list, the first that wait

// Runs `then` once: at once where nothing is to be asked, else off the engine's thread. When the
// JobTracker is busy, it has those that were found until then.
void ask_first_reasons(EngineLoop& loop, const Asker& asker, std::vector<JobId> jobs,
                       std::function<void(const FirstReasons&)> then);

}  // namespace weir
