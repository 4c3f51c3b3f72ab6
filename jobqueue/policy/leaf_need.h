// What a leaf wants in one slot class, worked out of its jobs and bounds: PEND, DEM, and by how
// much it is short of what it may keep. Pure functions of what is put in: the ruling policy asks
// with its indexes, and who looks after claims while another policy rules with what it has counted
// just now.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <optional>

#include "jobqueue/policy/leaf_jobs.h"
#include "jobqueue/model/settings.h"

namespace weir {

// Tasks ordered to die that are wanted again: width -> how many.
using DyingTasks = boost::container::flat_map<std::int64_t, std::int64_t>;

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
  // The most of `gap` slots that whole wanted tasks fill.
  std::int64_t whole_tasks(std::int64_t gap) const;

 private:
  // PEND must not depend on AC, which depends on PEND; soft limits forbid nothing.
  LeafJobs::LimitOf hard_limit() const;
};

}  // namespace weir
