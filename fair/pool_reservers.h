// Jobs that have trackers reserved, by the leaf in which they have a place. Told of each change, so
// that nobody looks at all of them. On the engine's thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fair/pool_amounts.h"
#include "jobqueue/policy/size_masks.h"

namespace weir {

class PoolReservers {
 public:
  using JobLine = PoolAmounts::JobLine;
  using Jobs = boost::container::small_vector<JobId, 8>;
  struct Mover : Reserver {
    std::uint32_t place = 0;  // of the job in its leaf
  };

  explicit PoolReservers(const ClusterState& state) : state_(state) {}  // which outlives it

  // The job's reservation, or its place in a leaf, may be another; null: it has no place.
  void read(JobId job, const JobLine* line);

  bool empty() const { return leaf_of_.empty(); }
  // In no order.
  const std::vector<Mover>& in(PoolId leaf) const {
    return leaf.index() < by_leaf_.size() ? by_leaf_[leaf.index()] : none_;
  }
  Jobs jobs_in(PoolId leaf) const;
  const std::vector<PoolId>& leaves() const { return leaves_; }  // that have any, in no order

 private:
  const ClusterState& state_;
  std::unordered_map<JobId, PoolId> leaf_of_;
  std::vector<std::vector<Mover>> by_leaf_;  // by PoolId
  std::vector<PoolId> leaves_;
  const std::vector<Mover> none_;
};

}  // namespace weir
