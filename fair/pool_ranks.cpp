// Steps and keys of pools and their jobs (containers.md 5.5, 5.6).
#include <algorithm>

#include "fair/pool_amounts.h"

namespace weir {

PoolRank PoolAmounts::rank(PoolId pool, const Amounts& running, const Resources& need) const {
  const PoolTree::Node& node = tree_.node(pool);
  const ShareLine& line = pools_[pool.index()];
  if (within_minimum(pool, running, need)) {
    PoolRank rank{PoolRank::kWithinMinimum, {}};
    for (const Dimension d : state_.space().dimensions()) {
      const auto& least = node.settings->minimum[d.value()];
      if (!least) continue;
      rank.key = std::max(rank.key, PoolPart{running[d], std::max<std::int64_t>(1, *least)});
    }
    return rank;
  }
  return {within_share(line, running, need) ? PoolRank::kWithinShare : PoolRank::kBeyond,
          key_of(line, running, sharing(tree_.node(node.parent)))};
}

PoolRank PoolAmounts::rank(const JobLine& job, const Amounts& running,
                           const Resources& need) const {
  return {within_share(job, running, need) ? PoolRank::kWithinShare : PoolRank::kBeyond,
          key_of(job, running, sharing(tree_.node(job.pool)))};
}

// Its key is the same for all tasks, but for whether they are within its minimum.
PoolRank PoolAmounts::best_rank(PoolId pool) const {
  const PoolTree::Node& node = tree_.node(pool);
  const ShareLine& line = pools_[pool.index()];
  PoolRank rank{PoolRank::kBeyond, {}};
  for (const Dimension d : state_.space().dimensions()) {
    const auto& least = node.settings->minimum[d.value()];
    if (!least) continue;
    if (line.running[d] < std::min(*least, line.demand[d])) rank.step = PoolRank::kWithinMinimum;
    rank.key = std::max(rank.key, PoolPart{line.running[d], std::max<std::int64_t>(1, *least)});
  }
  if (rank.step == PoolRank::kWithinMinimum) return rank;
  bool is_within = !node.leaf();
  for (const auto& [size, wanted] : leaves_[pool.index()].sizes)
    is_within = is_within || within_share(line, line.running, size->need);
  return {is_within ? PoolRank::kWithinShare : PoolRank::kBeyond,
          key_of(line, line.running, sharing(tree_.node(node.parent)))};
}

PoolRank PoolAmounts::best_rank(const JobLine& job) const {
  bool is_within = false;
  for (const auto& [size, picky] : job.sizes)
    is_within = is_within || within_share(job, job.running, size->need);
  return {is_within ? PoolRank::kWithinShare : PoolRank::kBeyond,
          key_of(job, job.running, sharing(tree_.node(job.pool)))};
}

PoolPart PoolAmounts::key_of(const ShareLine& line, const Amounts& running,
                            PoolSettings::Sharing by) const {
  PoolPart most;
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t total = state_.total()[d];
    if (total == 0 || (by == PoolSettings::Sharing::kFair && d != Dimension::kMemoryMb)) continue;
    most = std::max(most, PoolPart{running[d], total, line.weight});
  }
  return most;
}

// Of the dimensions that the minimum names; of those that the task needs there must be one.
bool PoolAmounts::within_minimum(PoolId pool, const Amounts& running,
                                 const Resources& need) const {
  const PoolSettings& settings = *tree_.node(pool).settings;
  bool names = false;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& least = settings.minimum[d.value()];
    if (!least || need[d] == 0) continue;
    names = true;
    if (running[d] + need[d] > std::min(*least, pools_[pool.index()].demand[d])) return false;
  }
  return names;
}

// Others have room for all: dimensions that are not full say nothing.
bool PoolAmounts::within_share(const ShareLine& line, const Amounts& running,
                               const Resources& need) const {
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] == 0 || d.place() >= line.full.size() || !line.full[d.place()]) continue;
    if ((running[d] + need[d]) * 1000 > thousandths(line.share[d.place()])) return false;
  }
  return true;
}

bool PoolAmounts::short_of_share(const ShareLine& line, const Amounts& running,
                                 const Resources& need) const {
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] == 0 || d.place() >= line.full.size() || !line.full[d.place()]) continue;
    if (running[d] * 1000 >= thousandths(line.share[d.place()])) return false;
  }
  return true;
}

}  // namespace weir
