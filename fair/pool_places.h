// Which pool a job is in: the one that it wants, unless that cannot be because another job is in
// the way (x holds jobs, so there is no x.y). Jobs are placed in the order of their ids, each by
// those before it, so a job is in the way of later ones only. Who is displaced gets its pool as
// soon as it can. Invariant: where jobs are follows from which there are and what they want, not
// from how that came about. The same for slots and for containers; engine's thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fair/pool_admission.h"
#include "fair/pool_tree.h"

namespace weir {

class PoolPlaces {
 public:
  // `where`: the pool that a job is in; invalid: in none.
  PoolPlaces(const PoolAdmission& rules, std::function<PoolId(JobId)> where)
      : rules_(rules), where_(std::move(where)) {}

  // Of a job that comes after all who have a place.
  std::string last_place(const Job& job) const;
  std::string take_last(const Job& job);
  // The job goes; to be followed by again().
  void give_up(JobId job);
  // This job wants another pool, perhaps, or has gone: who is to be in which pool now, in the order
  // of their ids. They leave where they are, all of them, before the first comes in.
  std::vector<std::pair<JobId, std::string>> again(JobId first);
  // It is not in the pool that it wants.
  bool displaced(JobId job) const { return displaced_.contains(job); }

 private:
  template <class May>
  std::string first_that(const Job& job, May may) const;
  bool was_free_for(JobId job, const std::string& path) const;
  void stand_in_way(JobId job, const std::string& path, std::set<JobId>& asked) const;
  const std::string& path_of(JobId job) const { return rules_.tree.node(where_(job)).path; }
  void let_go(JobId job);

  PoolAdmission rules_;
  std::function<PoolId(JobId)> where_;
  std::map<std::string, std::set<JobId>, std::less<>> held_by_;  // jobs by the path of their pool
  std::set<JobId> displaced_;
};

}  // namespace weir
