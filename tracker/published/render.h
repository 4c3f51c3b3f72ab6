// The engine's state as readers see it: one view a job, a queue, a tracker. Made on the engine's
// thread, once a change, and then only read. A job shows only what is durable: an end that the
// store may still lose reads RUNNING. Moments in views are the wall clock's.
#pragma once

#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/store/history.h"
#include "tracker/published/past.h"
#include "tracker/published/published_views.h"
#include "tracker/published/wall_clock.h"
#include "views/attempt_view.h"

namespace weir {

inline std::int32_t count(std::uint64_t n) {  // views have no unsigned numbers, as the wire
  return static_cast<std::int32_t>(n);
}

JobView render_job(const Engine& engine, const Job& job, const WallClock& wall);
JobView render_record(const JobRecord& record, const WallClock& wall);
AttemptView render_attempt(const EndedAttempt& attempt, const WallClock& wall);
TrackerRecord render_tracker(const Engine& engine, const TrackerState& tracker,
                             const WallClock& wall);
TrackerSlotsView render_slots(const Engine& engine, const TrackerState& tracker);
// All queues but the root, parents before children, in the order of the settings.
std::vector<QueueView> render_queues(const Engine& engine, const WallClock& wall, const Past& past);

}  // namespace weir
