#include "sim/checker/waits.h"

#include <algorithm>

namespace weir::check {

std::pair<DurationMs, DurationMs> least_delays(const FairRules& rules, const ClusterState& state) {
  if (rules.delays) return *rules.delays;
  DurationMs full = std::clamp<DurationMs>(state.heartbeat_interval_ms() * 3 / 2, 1000, 15'000);
  if (rules.delays_adapt) full /= 16;  // what patience falls to
  return {full, full};
}

Locality distance(const ClusterState& state, const Job& job, std::uint32_t index,
                  const TrackerState& tracker) {
  if (!state.has_locations(job.id) || !job.locality.located(index)) return Locality::kNode;
  return job.locality.of(index, tracker.id, tracker.rack);
}

Locality furthest(const Wait& wait, const Job& job, const FairRules& rules,
                  const ClusterState& state, TimeMs now) {
  const auto [node, rack] = least_delays(rules, state);
  const DurationMs waited = now - (wait.cleared_at < 0 ? job.submitted_at : wait.cleared_at);
  switch (wait.at_most) {
    case Locality::kNode:
      return waited >= node + rack ? Locality::kAny
             : waited >= node      ? Locality::kRack
                                   : Locality::kNode;
    case Locality::kRack:
      return waited >= rack ? Locality::kAny : Locality::kRack;
    default:
      return Locality::kAny;
  }
}

}  // namespace weir::check
