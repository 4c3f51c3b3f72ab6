// How the jobs that may be scheduled stand under a policy that deals shares to jobs: share, weight,
// deficit, and how far from its input the next map may run. Asked of the ruling policy alone, and
// only when somebody wants to see it: a few jobs in one look (look_in_pieces.h).
#pragma once

#include <cstddef>
#include <functional>

#include "tracker/jobtracker/engine_loop.h"
#include "views/policy_view.h"

namespace weir {

inline constexpr std::size_t kJobsStanding = 1'000;  // the first of them, by number

// Runs `then` once, off the engine's thread. Nothing, if the policy has no such figures.
void ask_job_standings(EngineLoop& loop, const Asker& asker,
                       std::function<void(std::optional<JobStandingsView>)> then);

}  // namespace weir
