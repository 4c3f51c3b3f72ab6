#include "fair/pool_amounts.h"

#include <algorithm>

#include "fair/weights.h"

namespace weir {

void PoolAmounts::made_pools() {
  if (tree_.size() <= pools_.size()) return;
  pools_.resize(tree_.size());
  jobs_.resize(tree_.size());
}

void PoolAmounts::add(JobLine& line, const Amounts& running, const Amounts& demand) {
  made_pools();
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t more = running[d] - line.running[d];
    if (demand[d] != line.demand[d]) stale_ = true;
    if (more == 0) continue;
    for (PoolId p = line.pool; p.valid(); p = tree_.node(p).parent)
      pools_[p.index()].running[d] += more;
  }
  line.running = running;
  line.demand = demand;
  const bool stands = line.runnable || !running.all_zero();
  if (stands == line.stands) return;
  line.stands = stands;
  stale_ = true;
  if (stands) {
    jobs_[line.pool.index()].emplace(line.tie, &line);
  } else {
    jobs_[line.pool.index()].erase(line.tie);
  }
}

void PoolAmounts::leave(JobLine& line) {
  line.runnable = false;
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
  stale_ = false;
  gather(PoolTree::root());
  std::vector<Share> divide;
  for (const std::int64_t total : totals()) divide.push_back(total * kWholeSlot);
  pools_[0].share = divide;
  deal(PoolTree::root(), divide);
}

// What a pool wants is what its children want within their maximums.
void PoolAmounts::gather(PoolId pool) {
  const PoolTree::Node& node = tree_.node(pool);
  ShareLine& line = pools_[pool.index()];
  line.demand = {};
  line.weight = node.settings->weight;
  const auto add = [&](const std::vector<std::int64_t>& wanted) {
    std::size_t place = 0;
    for (const Dimension d : state_.space().dimensions()) line.demand[d] += wanted[place++];
  };
  for (const auto& [name, child] : node.children) {
    gather(child);
    add(wanted_above(totals(), claimant(pools_[child.index()], tree_.node(child).settings)));
  }
  for (const auto& [tie, job] : jobs_[pool.index()])
    add(wanted_above(totals(), claimant(*job, nullptr)));
}

void PoolAmounts::deal(PoolId pool, const std::vector<Share>& divide) {
  const PoolTree::Node& node = tree_.node(pool);
  const PoolSettings::Sharing by = sharing(node);
  if (node.leaf() && by == PoolSettings::Sharing::kFifo) return deal_in_order(pool, divide);
  std::vector<ShareLine*> lines;
  std::vector<DrfClaimant> claimants;
  for (const auto& [name, child] : node.children) {
    lines.push_back(&pools_[child.index()]);
    claimants.push_back(claimant(*lines.back(), tree_.node(child).settings));
  }
  for (const auto& [tie, job] : jobs_[pool.index()]) {
    job->weight = priority_weight(job->priority);
    lines.push_back(job);
    claimants.push_back(claimant(*job, nullptr));
  }
  const DrfShares shares =
      drf_shares(totals(), divide, claimants,
                 by == PoolSettings::Sharing::kFair ? Contested::kFirst : Contested::kAll);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i]->share = shares.of[i];
    lines[i]->full = shares.full;
  }
  std::size_t i = 0;
  for (const auto& [name, child] : node.children) deal(child, divided_below(shares, divide, i++));
}

// First come, first served: each gets what is left.
void PoolAmounts::deal_in_order(PoolId leaf, const std::vector<Share>& divide) {
  std::vector<JobLine*> order;
  for (const auto& [tie, job] : jobs_[leaf.index()]) order.push_back(job);
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
