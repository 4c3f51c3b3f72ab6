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

class Space;

// Slot-milliseconds by class, and MB-milliseconds and so on. Both stand here, because settings may
// bring the other: what slots have had is nothing that containers have.
class SlotTime {
 public:
  std::int64_t& operator[](Dimension d) { return (d.is_slots() ? slots_ : containers_)[d]; }
  std::int64_t operator[](Dimension d) const { return (d.is_slots() ? slots_ : containers_)[d]; }
  SlotTime& operator+=(const SlotTime& other) {
    slots_ += other.slots_, containers_ += other.containers_;
    return *this;
  }
  template <class Is>
  bool any(Is is) const {
    return slots_.any(is) || containers_.any(is);
  }
  // Other resources are named, or the same in another order.
  void rename(const Space& from, const Space& to);

 private:
  PerDimension<std::int64_t> slots_, containers_;
};

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
  void rename(const Space& from, const Space& to);
};

}  // namespace weir
