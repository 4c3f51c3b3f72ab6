// The periodic update: shares, and since when pools are short of theirs.
#include <algorithm>

#include "fair/fair_policy.h"

namespace weir {

void FairPolicy::deal_shares() const {
  for (const TaskKind kind : kTaskKinds) {
    if (standings_[index(kind)].deal_shares(state_.total_slots(kind))) ++rules_[kDealtShares];
  }
}

Preemption FairPolicy::tick(TimeMs now) {
  refresh_weights(now);
  deal_shares();
  update_stamps(now);
  state_.memory().updated_at = now;
  return {};
}

// A pool that is not short has no stamp: it was not at the last update. One that is keeps the time
// of the last update at which it was not.
void FairPolicy::update_stamps(TimeMs now) {
  PolicyMemory& memory = state_.memory();
  const TimeMs before = memory.updated_at == 0 ? now : memory.updated_at;
  for (const TaskKind kind : kTaskKinds) {
    const std::size_t k = index(kind);
    for (std::size_t p = 1; p < tree_.size(); ++p) {
      const PoolTree::Node& node = tree_.node(PoolId(p));
      if (!node.exists) continue;
      const Standings::Line& line = standings_[k].line(PoolId(p));
      const bool below_min = line.needy();
      const bool below_half = line.running < line.demand && !reaches(2 * line.running, line.share);
      const auto known = memory.pools.find(node.path);
      if (known == memory.pools.end() && !below_min && !below_half) continue;
      PoolStamps& stamps = known == memory.pools.end() ? memory.pools[node.path] : known->second;
      const auto follow = [before](TimeMs& stamp, bool below) {
        if (!below) stamp = kNever;
        if (below && stamp == kNever) stamp = before;
      };
      follow(stamps.at_min_share[k], below_min);
      follow(stamps.at_half_share[k], below_half);
    }
  }
  std::erase_if(memory.pools, [&](const auto& entry) {
    const auto nothing = [](TimeMs stamp) { return stamp == kNever; };
    const PoolStamps& stamps = entry.second;
    return !tree_.find(entry.first).valid() ||
           (std::all_of(stamps.at_min_share.begin(), stamps.at_min_share.end(), nothing) &&
            std::all_of(stamps.at_half_share.begin(), stamps.at_half_share.end(), nothing));
  });
}

// Beyond its timeout, itself or a pool above it: by the stamps of the last update.
bool FairPolicy::starved(PoolId pool, TaskKind kind, TimeMs now) const {
  const auto& pools = state_.memory().pools;
  if (pools.empty()) return false;
  const auto beyond = [now](TimeMs stamp, DurationMs timeout) {
    return stamp != kNever && timeout != kNever && now - stamp > timeout;
  };
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto known = pools.find(tree_.node(p).path);
    if (known == pools.end()) continue;
    const PoolSettings& settings = *tree_.node(p).settings;
    if (beyond(known->second.at_min_share[index(kind)], settings.min_share_timeout_ms) ||
        beyond(known->second.at_half_share[index(kind)], settings.fair_share_timeout_ms)) {
      return true;
    }
  }
  return false;
}

}  // namespace weir
