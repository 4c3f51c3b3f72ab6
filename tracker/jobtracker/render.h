// The engine's state as the wire shows it: one record a job, a queue, a tracker. Rendered on the
// engine's thread, once a change, and then only read. A job shows only what is durable: an end that
// the store may still lose reads RUNNING. Moments on the wire are the wall clock's.
#pragma once

#include <vector>

#include "client_types.h"
#include "jobqueue/engine/engine.h"
#include "jobqueue/store/history.h"
#include "tracker/jobtracker/wall_clock.h"

namespace weir {

// A tracker's record keeps the time of its heartbeat, because its age is different for each reader.
struct TrackerRecord {
  wire::TrackerStatus status;
  TimeMs last_heartbeat = 0;
};

inline std::int32_t count(std::uint64_t n) {  // the wire has no unsigned numbers
  return static_cast<std::int32_t>(n);
}

wire::JobStatus render_job(const Engine& engine, const Job& job, const WallClock& wall);
wire::JobStatus render_record(const JobRecord& record, const WallClock& wall);
wire::AttemptInfo render_attempt(const EndedAttempt& attempt, const WallClock& wall);
TrackerRecord render_tracker(const Engine& engine, const TrackerState& tracker,
                             const WallClock& wall);
// All queues but the root, parents before children, in the order of the settings.
std::vector<wire::QueueStatus> render_queues(const Engine& engine, const WallClock& wall);

}  // namespace weir
