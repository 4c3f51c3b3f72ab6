// What a leaf wants in one slot class, worked out of its jobs and bounds: PEND, DEM, and by how
// much it is short of what it may keep. Pure functions of what is put in: the ruling policy asks
// with its indexes, and who looks after claims while another policy rules with what it has counted
// just now.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>

#include "jobqueue/policy/leaf_jobs.h"
#include "jobqueue/model/settings.h"

namespace weir {

// Tasks ordered to die that are wanted again, where their jobs stand.
struct DyingOfJob {
  std::int64_t width = 1, tasks = 0;
};
using DyingTasks = boost::container::flat_map<JobOrder, DyingOfJob>;

// What may be launched of a job.
struct WantedOfJob {
  JobOrder order;
  UserId user;
  std::int64_t width = 1, tasks = 0;
};

// Slots that wanted tasks take one after the other. What does not fit in what is left now, though
// it would if the queue ran nothing, ends the list: else the slots that it waits for are claimed,
// and taken, by narrower tasks behind it for ever. What could never fit is passed.
class OwedList {
 public:
  // `most`: the widest that could fit, min(GC, MAX).
  OwedList(std::int64_t slots, std::int64_t most) : left_(slots), most_(most) {}
  // How many of so many tasks are owed; they take their slots.
  std::int64_t take(std::int64_t width, std::int64_t tasks);
  bool ended() const { return ended_ || left_ <= 0; }
  std::int64_t left() const { return left_; }

 private:
  std::int64_t left_, most_;
  bool ended_ = false;
};

struct LeafNeed {
  const LeafJobs& jobs;
  const DyingTasks& dying;
  const UserLimit& user_limit;
  bool has_maximum = false;  // the leaf itself declares one
  std::int64_t guaranteed = 0;
  std::int64_t maximum = 0;
  std::int64_t running = 0;

  std::int64_t pending() const;      // PEND
  std::int64_t dying_slots() const;  // wanted, not yet launchable
  // What of `gap` slots its wanted tasks are owed, in the leaf's order (OwedList); `wanted`: of a
  // job in `jobs`.
  std::int64_t owed(std::int64_t gap, const std::function<WantedOfJob(JobId)>& wanted) const;

 private:
  // PEND must not depend on AC, which depends on PEND; soft limits forbid nothing.
  LeafJobs::LimitOf hard_limit() const;
};

}  // namespace weir
