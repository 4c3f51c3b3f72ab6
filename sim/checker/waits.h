// Delay scheduling under the fair policy, as far as launches show it: a job stands at the level of
// its last launch of a map whose input's place is known, node at first, and any launch clears what
// it has waited. So it has waited no longer than since then, or since it came. Whether a job was
// asked at a heartbeat, which alone counts as waiting, is not recomputed. Plain values, any thread.
#pragma once

#include <map>
#include <utility>

#include "jobqueue/model/cluster_state.h"
#include "sim/checker/fair_rules.h"

namespace weir::check {

struct Wait {
  // Its level: the same, unless launches under another policy may or may not have counted.
  Locality at_least = Locality::kNode, at_most = Locality::kNode;
  TimeMs cleared_at = -1;  // -1: never
};
using Waits = std::map<JobId, Wait>;

// No less must be waited for a map on a node that has its input, and then for one in its rack.
std::pair<DurationMs, DurationMs> least_delays(const FairRules& rules, const ClusterState& state);

// How near map `index` of the job is to the tracker; node if nobody knows where its input lies, as
// it waits for nothing.
Locality distance(const ClusterState& state, const Job& job, std::uint32_t index,
                  const TrackerState& tracker);

// How far out the job may launch at most, if it has waited ever since the last launch.
Locality furthest(const Wait& wait, const Job& job, const FairRules& rules,
                  const ClusterState& state, TimeMs now);

}  // namespace weir::check
