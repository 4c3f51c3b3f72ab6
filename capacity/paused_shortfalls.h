// How much leaves are short of min(GC, DEM) while another policy rules, for claims that stand
// still meanwhile. Counted from the state when it is asked, leaf by leaf: only leaves with open
// claims are asked about, once a tick. Engine's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/placeable.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class PausedShortfalls : public PausedClaims {
 public:
  explicit PausedShortfalls(const ClusterState& state);
  std::int64_t shortfall(QueueId leaf, TaskKind kind) override;

 private:
  // By queue, for a cluster of `total` slots.
  struct Bounds {
    std::vector<QueueShare> shares;
    std::int64_t total = -1;
    std::vector<std::int64_t> guaranteed;
    std::vector<std::int64_t> maximum;
  };
  const Bounds& bounds(TaskKind kind);

  const ClusterState& state_;
  Placeable placeable_;
  std::array<Bounds, kTaskKindCount> bounds_;
};

}  // namespace weir
