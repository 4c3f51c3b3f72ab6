#include "fair/pool_amounts.h"

#include <algorithm>
#include <utility>

#include "fair/weights.h"

namespace weir {

void PoolAmounts::made_pools() {
  if (tree_.size() <= pools_.size()) return;
  pools_.resize(tree_.size());
  leaves_.resize(tree_.size());
}

void PoolAmounts::add(JobLine& line, const Amounts& running, const Amounts& demand) {
  made_pools();
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t more = running[d] - line.running[d];
    if (demand[d] != line.demand[d]) {
      leaves_[line.pool.index()].demand[d] += demand[d] - line.demand[d];
      leaves_[line.pool.index()].stale = stale_ = true;
    }
    if (more == 0) continue;
    for (PoolId p = line.pool; p.valid(); p = tree_.node(p).parent)
      pools_[p.index()].running[d] += more;
  }
  line.running = running;
  line.demand = demand;
  const bool stands = line.runnable || !running.all_zero();
  if (stands == line.stands) return;
  line.stands = stands;
  leaves_[line.pool.index()].stale = stale_ = true;
  if (stands) {
    leaves_[line.pool.index()].jobs.emplace(line.tie, &line);
  } else {
    leaves_[line.pool.index()].jobs.erase(line.tie);
  }
}

void PoolAmounts::count_sizes(const JobLine& line, std::int32_t sign) {
  made_pools();
  auto& sizes = leaves_[line.pool.index()].sizes;
  for (const auto& [size, picky] : line.sizes) {
    Wanted& wanted = sizes[size];
    wanted.groups += static_cast<std::uint32_t>(sign);
    if (picky) wanted.picky += static_cast<std::uint32_t>(sign);
    if (wanted.groups == 0) sizes.erase(size);
  }
}

void PoolAmounts::leave(JobLine& line) {
  line.runnable = false;
  count_sizes(line, -1);
  line.sizes.clear();
  add(line, {}, {});
}

std::vector<std::int64_t> PoolAmounts::totals() const {
  std::vector<std::int64_t> totals;
  for (const Dimension d : state_.space().dimensions()) totals.push_back(state_.total()[d]);
  return totals;
}

DrfClaimant PoolAmounts::claimant(const ShareLine& line, const PoolSettings* settings) const {
  DrfClaimant claimant{.weight = line.weight};
  for (const Dimension d : state_.space().dimensions()) {
    claimant.demand.push_back(line.demand[d]);
    claimant.minimum.push_back(settings == nullptr ? std::nullopt : settings->minimum[d.value()]);
    claimant.maximum.push_back(settings == nullptr ? std::nullopt : settings->maximum[d.value()]);
  }
  return claimant;
}

void PoolAmounts::settle() {
  made_pools();
  if (!stale_) return;
  if (std::exchange(resized_, false)) {
    for (Leaf& leaf : leaves_) leaf.stale = true;
  }
  stale_ = false;
  gather(PoolTree::root());
  std::vector<Share> divide;
  for (const std::int64_t total : totals()) divide.push_back(total * kWholeSlot);
  pools_[0].share = divide;
  deal_to_pools(PoolTree::root(), divide);
}

void PoolAmounts::settle_jobs(PoolId leaf) {
  if (std::exchange(leaves_[leaf.index()].stale, false))
    deal_to_jobs(leaf, leaves_[leaf.index()].divide);
}

void PoolAmounts::settle_all() {
  settle();
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    if (!leaves_[p].jobs.empty()) settle_jobs(PoolId(p));
  }
}

// What a pool wants is what its jobs want, or its children within their maximums.
void PoolAmounts::gather(PoolId pool) {
  const PoolTree::Node& node = tree_.node(pool);
  ShareLine& line = pools_[pool.index()];
  line.weight = node.settings->weight;
  line.demand = leaves_[pool.index()].demand;
  for (const auto& [name, child] : node.children) {
    gather(child);
    const auto wanted =
        wanted_above(totals(), claimant(pools_[child.index()], tree_.node(child).settings));
    std::size_t place = 0;
    for (const Dimension d : state_.space().dimensions()) line.demand[d] += wanted[place++];
  }
}

void PoolAmounts::deal_to_pools(PoolId pool, const std::vector<Share>& divide) {
  const PoolTree::Node& node = tree_.node(pool);
  if (node.leaf()) {
    Leaf& leaf = leaves_[pool.index()];
    if (leaf.divide == divide) return;
    leaf.divide = divide;
    leaf.stale = true;
    return;
  }
  std::vector<DrfClaimant> claimants;
  for (const auto& [name, child] : node.children)
    claimants.push_back(claimant(pools_[child.index()], tree_.node(child).settings));
  const DrfShares shares = drf_shares(totals(), divide, claimants, contested(node));
  std::size_t i = 0;
  for (const auto& [name, child] : node.children) {
    ShareLine& line = pools_[child.index()];
    line.share = shares.of[i];
    line.full = shares.full;
    deal_to_pools(child, divided_below(shares, divide, i++));
  }
}

void PoolAmounts::deal_to_jobs(PoolId leaf, const std::vector<Share>& divide) {
  const PoolTree::Node& node = tree_.node(leaf);
  if (sharing(node) == PoolSettings::Sharing::kFifo) return deal_in_order(leaf, divide);
  std::vector<DrfClaimant> claimants;
  for (const auto& [tie, job] : leaves_[leaf.index()].jobs) {
    job->weight = priority_weight(job->priority);
    claimants.push_back(claimant(*job, nullptr));
  }
  const DrfShares shares = drf_shares(totals(), divide, claimants, contested(node));
  std::size_t i = 0;
  for (const auto& [tie, job] : leaves_[leaf.index()].jobs) {
    job->share = shares.of[i++];
    job->full = shares.full;
  }
}

// First come, first served: each gets what is left.
void PoolAmounts::deal_in_order(PoolId leaf, const std::vector<Share>& divide) {
  std::vector<JobLine*> order;
  for (const auto& [tie, job] : leaves_[leaf.index()].jobs) order.push_back(job);
  std::stable_sort(order.begin(), order.end(), [](const JobLine* a, const JobLine* b) {
    return a->priority < b->priority;
  });
  std::vector<Share> left = divide;
  for (JobLine* job : order) {
    job->share.assign(left.size(), 0);
    job->full.assign(left.size(), false);
    for (const Dimension d : state_.space().dimensions()) {
      Share& rest = left[d.place()];
      job->share[d.place()] = std::min<Share>(rest, job->demand[d] * kWholeSlot);
      rest -= job->share[d.place()];
    }
  }
}

}  // namespace weir
