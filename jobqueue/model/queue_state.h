// What is in a queue: its running slots, its users, its jobs, and what has been.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <set>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/per_dimension.h"
#include "jobqueue/model/queue_counters.h"
#include "jobqueue/model/terms.h"

namespace weir {

// What one user has in one leaf queue.
struct UserInQueue {
  PerDimension<std::int64_t> running;  // RUN
  std::uint32_t jobs_waiting = 0;
  std::uint32_t jobs_running = 0;  // in state RUNNING, and of these:
  std::uint32_t jobs_pending = 0;  // those of which no task has started yet
  // Nothing of his is left here. Running tasks of an ended job are for a while.
  bool gone() const {
    return jobs_running + jobs_waiting == 0 && running.all_zero();
  }
  // What runs is of jobs that are over, or wait again.
  bool lingers() const { return jobs_running == 0 && !running.all_zero(); }
};

// What every launch and every end looks at comes first and lies together.
struct alignas(64) QueueState {
  PerDimension<std::int64_t> running;  // RUN; of inner queues their leaves' sum
  // launch_order of the latest launch in or below it, of each kind of slot; 0 = none
  std::uint64_t last_launch[kTaskKindCount] = {0, 0};
  boost::container::flat_map<UserId, UserInQueue> users;  // leaves only: those with a job here
  bool stopped = false;             // refuses new jobs: by command, or by its settings
  bool stopped_by_command = false;  // stays so when settings change
  QueueCounters counters;
  std::uint32_t jobs_waiting = 0;  // leaves only, from here on
  std::uint32_t jobs_running = 0;
  std::uint32_t jobs_pending = 0;  // of jobs_running, as with users
  std::uint32_t users_with_jobs = 0;   // in state RUNNING
  std::uint32_t users_lingering = 0;
  std::set<JobId> unfinished;  // in submit order
};

}  // namespace weir
