// What a queue and its users have had since the JobTracker started: jobs by how they ended, and
// slot-time by class. `used` and `lost` are exact sums over attempts (slots times running time,
// added when an attempt ends or is preempted); `lent` and `borrowed` are sums over the policy's
// periodic updates, of what of the guarantee was allocated to others and of what ran above it.
// No decision depends on them. They survive changes of settings; a queue that is removed hands them
// to the one its jobs go to. Engine's thread.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <cstdint>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_state.h"
#include "jobqueue/model/per_dimension.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"

namespace weir {

using SlotTime = PerDimension<std::int64_t>;  // slot-milliseconds by class; MB-milliseconds, ...

struct JobEnds {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t killed = 0;
  void count(JobState state) {
    if (state == JobState::kSucceeded) ++succeeded;
    if (state == JobState::kFailed) ++failed;
    if (state == JobState::kKilled) ++killed;
  }
  JobEnds& operator+=(const JobEnds& other) {
    succeeded += other.succeeded, failed += other.failed, killed += other.killed;
    return *this;
  }
};

struct UserCounters {
  SlotTime used_ms{};
  TimeMs touched_at = 0;
  SlotTime lost_ms{};
  JobEnds ended;
};

struct QueueCounters {
  // Users are self-declared, so their number is bounded: those unseen for longest are forgotten.
  static constexpr std::size_t kUsersKept = 1000;

  SlotTime used_ms{};
  boost::container::flat_map<UserId, UserCounters> users;
  JobEnds ended;
  SlotTime lent_ms{};
  SlotTime borrowed_ms{};
  SlotTime lost_ms{};  // to preemption

  UserCounters& user(UserId id, TimeMs now);
  void add(const QueueCounters& other);
};

}  // namespace weir
