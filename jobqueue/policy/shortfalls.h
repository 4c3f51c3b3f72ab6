// How much leaves are short of min(GC, DEM), counted from the state and its settings alone, leaf by
// leaf, whatever policy rules. Claims that stand still while another policy rules are cut to it:
// only leaves with open claims are asked about, once a tick. Made anew when settings change.
// Engine's thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/placeable.h"

namespace weir {

class Shortfalls {
 public:
  explicit Shortfalls(const ClusterState& state);
  // In slots, of whole tasks; or in the dimension of containers, whatever their size.
  std::int64_t shortfall(QueueId leaf, Dimension dimension);

 private:
  // By queue, for a cluster of `total` slots.
  struct Bounds {
    std::vector<QueueShare> shares;
    std::int64_t total = -1;
    std::vector<std::int64_t> guaranteed;
    std::vector<std::int64_t> maximum;
  };
  const Bounds& bounds(Dimension dimension);
  std::int64_t of_containers(QueueId leaf, Dimension dimension);

  const ClusterState& state_;
  Placeable placeable_;
  std::array<Bounds, kPlaceCount> bounds_;
};

}  // namespace weir
