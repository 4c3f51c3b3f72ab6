// Which pool a job may come into, what new settings would break of that, and in which groups of
// running jobs it counts: pools and users. The same for slots and for containers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fair/fair_settings.h"
#include "fair/pool_tree.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

// What rules now, which outlives it.
struct PoolAdmission {
  const ClusterState& state;
  const PoolTree& tree;
  const FairSettings& settings;

  Status check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const;
  // Where a job belongs. One that came under another policy, or before new settings, may name a
  // pool that cannot be, or one that its user may not submit to: that counts as not named, or where
  // that would not do either as its queue's.
  std::string wanted_pool(const Job& job) const;
  // `here`: the pool that the job is in, if it is in one.
  Result<Destination> check_move(const Caller& caller, const Job& job, std::string_view here,
                                 const std::string& name) const;
  // Of a job in that pool, or in none.
  void running_groups(const Job& job, std::optional<PoolId> pool,
                      std::vector<RunningGroup>& groups) const;
  // As if the new settings ruled: unfinished jobs that would be in no pool, but for those that are
  // not in the pool that they want now either.
  std::vector<std::string> findings(const Settings& next,
                                    const std::function<bool(JobId)>& displaced) const;

 private:
  Status check_right(const Caller& caller, const std::string& path, QueueId own_queue) const;
  Status check_pool(const Caller& caller, const std::string& path, QueueId own_queue) const;
};

}  // namespace weir
