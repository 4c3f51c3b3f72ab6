#include "fair/pool_amounts.h"

#include <algorithm>
#include <utility>

#include "fair/weights.h"

namespace weir {

std::uint64_t order_as_text(JobId job) {
  std::uint64_t digits = job.value, length = 4, longest = 10;
  for (std::uint64_t least = 10'000; digits >= least; least *= 10) ++length;
  for (std::uint64_t i = length; i < longest; ++i) digits *= 10;
  return digits * 16 + length;
}

std::int64_t kept_of(const PoolSettings& settings, Dimension d) {
  const std::int64_t minimum = settings.minimum[d.value()].value_or(0);
  if (!settings.lend) return 0;
  const Guarantee& lent = (*settings.lend)[d];
  if (lent.unit == Guarantee::Unit::kUnset) return 0;
  if (lent.unit != Guarantee::Unit::kPercent)
    return std::max<std::int64_t>(0, minimum - lent.amount);
  return minimum - static_cast<std::int64_t>(Int128(minimum) * lent.amount / kWholeInHundredths);
}

namespace {

bool any_lends_less(const std::vector<PoolSettings>& pools) {
  return std::any_of(pools.begin(), pools.end(), [](const PoolSettings& pool) {
    return pool.lend || any_lends_less(pool.pools);
  });
}

}  // namespace

PoolAmounts::PoolAmounts(const ClusterState& state, const PoolTree& tree,
                         const FairSettings& settings)
    : state_(state),
      tree_(tree),
      size_based_weight_(settings.size_based_weight),
      any_lends_less_(weir::any_lends_less(settings.pools)),
      adjuster_(make_weight_adjuster(settings)) {}

void PoolAmounts::made_pools() {
  if (tree_.size() <= pools_.size()) return;
  pools_.resize(tree_.size());
  leaves_.resize(tree_.size());
  dealt_.resize(tree_.size());
  due_.resize(tree_.size());
  is_changed_.resize(tree_.size());
}

void PoolAmounts::mark(PoolId pool) {
  if (is_changed_[pool.index()]) return;
  is_changed_[pool.index()] = true;
  changed_.push_back(pool);
}

void PoolAmounts::take_changed(std::vector<PoolId>& out) {
  out.assign(changed_.begin(), changed_.end());
  for (const PoolId pool : changed_) is_changed_[pool.index()] = false;
  changed_.clear();
}

void PoolAmounts::add(JobLine& line, const Amounts& running, const Amounts& demand) {
  made_pools();
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t more = running[d] - line.running[d];
    if (more == 0) continue;
    for (PoolId p = line.pool; p.valid(); p = tree_.node(p).parent)
      pools_[p.index()].running[d] += more;
  }
  line.running = running;
  if (!same(line.demand, demand)) set_demand(line, demand);
  const bool stands = line.runnable || !running.all_zero();
  if (stands == line.stands) return;
  line.stands = stands;
  note_dealt(line);
  leaves_[line.pool.index()].stale = stale_ = true;
  if (stands) {
    leaves_[line.pool.index()].jobs.emplace(line.tie, &line);
  } else {
    leaves_[line.pool.index()].jobs.erase(line.tie);
  }
}

bool PoolAmounts::same(const Amounts& a, const Amounts& b) const {
  const auto& all = state_.space().dimensions();
  return std::all_of(all.begin(), all.end(), [&](Dimension d) { return a[d] == b[d]; });
}

void PoolAmounts::set_demand(JobLine& line, const Amounts& demand) {
  Leaf& leaf = leaves_[line.pool.index()];
  for (const Dimension d : state_.space().dimensions())
    leaf.demand[d] += demand[d] - line.demand[d];
  line.demand = demand;
  const bool alike = !size_based_weight_ && is_dealt_alike(line.pool, line, line.dealt, demand);
  set_otherwise(line, !same(line.demand, line.dealt) && !alike);
  if (leaf.touched) return;
  leaf.touched = true;
  touched_.push_back(line.pool);
}

void PoolAmounts::set_otherwise(JobLine& line, bool otherwise) {
  leaves_[line.pool.index()].otherwise += (otherwise ? 1 : 0) - (line.otherwise ? 1 : 0);
  line.otherwise = otherwise;
}

void PoolAmounts::note_dealt(JobLine& line) {
  line.dealt = line.demand;
  set_otherwise(line, false);
}

// Whether it has the same share, and its siblings theirs: it wants the same of each dimension for
// one of another, only more or less often, and more than its share, now and when that was dealt. So
// it rises at the same rate, and stops where it did.
bool PoolAmounts::is_dealt_alike(PoolId family, const ShareLine& line, const Amounts& dealt,
                                 const Amounts& now) const {
  const PoolTree::Node& node = tree_.node(family);
  if (node.leaf() && sharing(node) == PoolSettings::Sharing::kFifo) return false;
  const auto& dimensions = state_.space().dimensions();
  if (line.share.size() < dimensions.size()) return false;
  const Dimension first = dimensions[0];
  if (now[first] == 0 || dealt[first] == 0) return false;
  const bool first_alone = contested(node) == Contested::kFirst;
  return std::all_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    if (Int128(now[d]) * dealt[first] != Int128(dealt[d]) * now[first]) return false;
    if (now[d] == 0 || (first_alone && d != first)) return true;
    return Int128(line.share[d.place()]) + kShareTolerance <
           Int128(std::min(now[d], dealt[d])) * kWholeSlot;
  });
}

// A task that ends and is wanted again leaves what its pool wants as it was; one that ends for good
// the shares, as long as its pool, and those above it, want more than they have.
bool PoolAmounts::wants_the_same() {
  std::map<PoolId, Amounts> wanted;  // of pools that want another amount
  for (const PoolId pool : touched_) {
    Leaf& leaf = leaves_[pool.index()];
    leaf.touched = false;
    if (same(leaf.demand, leaf.counted)) continue;
    for (PoolId p = pool; p.valid(); p = tree_.node(p).parent) {
      Amounts& now = wanted.try_emplace(p, pools_[p.index()].demand).first->second;
      for (const Dimension d : state_.space().dimensions())
        now[d] += leaf.demand[d] - leaf.counted[d];
    }
  }
  touched_.clear();
  if (any_lends_less_) return false;
  const bool alike = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto& [pool, now] = entry;
    return pool == PoolTree::root() ||
           (tree_.node(pool).exists && !has_bounds(pool) &&
            is_dealt_alike(tree_.node(pool).parent, pools_[pool.index()], dealt_[pool.index()],
                           now));
  });
  if (!alike) return false;
  for (const auto& [pool, now] : wanted) {
    pools_[pool.index()].demand = now;
    leaves_[pool.index()].counted = leaves_[pool.index()].demand;
    mark(pool);
  }
  return true;
}

bool PoolAmounts::has_bounds(PoolId pool) const {
  const PoolSettings& settings = *tree_.node(pool).settings;
  const auto& dimensions = state_.space().dimensions();
  return std::any_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    return settings.minimum[d.value()] || settings.maximum[d.value()];
  });
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

DrfClaimant PoolAmounts::claimant(std::int64_t weight, const Amounts& demand,
                                  const PoolSettings* settings) const {
  DrfClaimant claimant{.weight = weight};
  for (const Dimension d : state_.space().dimensions()) {
    claimant.demand.push_back(demand[d]);
    claimant.minimum.push_back(settings == nullptr ? std::nullopt : settings->minimum[d.value()]);
    claimant.maximum.push_back(settings == nullptr ? std::nullopt : settings->maximum[d.value()]);
  }
  return claimant;
}

void PoolAmounts::settle() {
  made_pools();
  follow_adjusted_weights();
  if (!touched_.empty() && !wants_the_same()) stale_ = true;
  if (!stale_) return;
  if (std::exchange(resized_, false)) {
    for (std::size_t p = 0; p < leaves_.size(); ++p) {
      leaves_[p].stale = true;
      if (tree_.node(PoolId(p)).exists) mark(PoolId(p));
    }
  }
  stale_ = false;
  for (Leaf& leaf : leaves_) leaf.counted = leaf.demand;
  gather(PoolTree::root());
  std::vector<Share> divide;
  for (const std::int64_t total : totals()) divide.push_back(share_at_most(total));
  pools_[0].share = divide;
  deal_to_pools(PoolTree::root(), divide);
}

void PoolAmounts::settle_jobs(PoolId leaf) {
  Leaf& here = leaves_[leaf.index()];
  if (!std::exchange(here.stale, false) && here.otherwise == 0) return;
  ++here.deals;
  deal_to_jobs(leaf, here.divide);
  for (const auto& [tie, job] : here.jobs) note_dealt(*job);
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
  const Amounts before = std::exchange(line.demand, leaves_[pool.index()].demand);
  Amounts due = line.demand;
  const auto add_wanted = [&](PoolId child, const Amounts& of_child, Amounts& sum) {
    const auto wanted =
        wanted_above(totals(), claimant(pools_[child.index()].weight, of_child,
                                        tree_.node(child).settings));
    std::size_t place = 0;
    for (const Dimension d : state_.space().dimensions()) sum[d] += wanted[place++];
  };
  for (const auto& [name, child] : node.children) {
    gather(child);
    add_wanted(child, pools_[child.index()].demand, line.demand);
    if (any_lends_less_) add_wanted(child, due_[child.index()], due);
  }
  for (const Dimension d : state_.space().dimensions())
    due[d] = std::max(due[d], kept_of(*node.settings, d));
  due_[pool.index()] = any_lends_less_ ? due : line.demand;
  dealt_[pool.index()] = line.demand;
  if (!same(before, line.demand)) mark(pool);
}

void PoolAmounts::deal_to_pools(PoolId pool, const std::vector<Share>& divide) {
  const PoolTree::Node& node = tree_.node(pool);
  if (node.leaf()) {
    Leaf& leaf = leaves_[pool.index()];
    if (leaf.divide == divide) return;
    leaf.divide = divide;
    leaf.stale = true;
    mark(pool);
    return;
  }
  std::vector<DrfClaimant> claimants;
  for (const auto& [name, child] : node.children)
    claimants.push_back(claimant(pools_[child.index()].weight, due_[child.index()],
                                 tree_.node(child).settings));
  const DrfShares shares = drf_shares(totals(), divide, claimants, contested(node));
  std::size_t i = 0;
  for (const auto& [name, child] : node.children) {
    ShareLine& line = pools_[child.index()];
    if (line.share != shares.of[i] || line.full != shares.full) mark(child);
    line.share = shares.of[i];
    line.full = shares.full;
    deal_to_pools(child, divided_below(shares, divide, i++));
  }
}

void PoolAmounts::deal_to_jobs(PoolId leaf, const std::vector<Share>& divide) {
  const PoolTree::Node& node = tree_.node(leaf);
  if (sharing(node) == PoolSettings::Sharing::kFifo) return deal_in_order(leaf, divide);
  std::vector<DrfClaimant> claimants;
  Leaf& here = leaves_[leaf.index()];
  here.weights_until = kNever;
  for (const auto& [tie, job] : here.jobs) {
    const AdjustedWeight weight = weight_of(*job);
    job->weight = weight.weight;
    here.weights_until = std::min(here.weights_until, weight.until);
    claimants.push_back(claimant(job->weight, job->demand, nullptr));
  }
  weights_until_ = std::min(weights_until_, here.weights_until);
  const DrfShares shares = drf_shares(totals(), divide, claimants, contested(node));
  std::size_t i = 0;
  for (const auto& [tie, job] : leaves_[leaf.index()].jobs) {
    job->share = shares.of[i++];
    job->full = shares.full;
  }
}

// By size that is what the job wants: memory, or under drf as much of that as it wants of what it
// wants the largest part of.
AdjustedWeight PoolAmounts::weight_of(const JobLine& line) const {
  std::int64_t wanted = 0;
  if (size_based_weight_) {
    const std::int64_t memory = state_.total()[Dimension::kMemoryMb];
    wanted = line.demand[Dimension::kMemoryMb];
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t total = state_.total()[d];
      if (total == 0 || contested(tree_.node(line.pool)) == Contested::kFirst) continue;
      wanted = std::max(wanted, static_cast<std::int64_t>(Int128(line.demand[d]) * memory / total));
    }
  }
  const std::int64_t weight = job_weight(line.priority, size_based_weight_, wanted);
  const Job* job = adjuster_ == nullptr ? nullptr : state_.find_job(line.job);
  return job == nullptr ? AdjustedWeight{weight}
                        : adjuster_->adjust(*job, TaskKind::kMap, weight, state_.now());
}

void PoolAmounts::follow_adjusted_weights() {
  if (state_.now() < weights_until_) return;
  weights_until_ = kNever;
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    Leaf& leaf = leaves_[p];
    if (state_.now() < leaf.weights_until) {
      weights_until_ = std::min(weights_until_, leaf.weights_until);
    } else {
      leaf.weights_until = kNever;  // until it is dealt again
      leaf.stale = true;
      if (tree_.node(PoolId(p)).exists) mark(PoolId(p));
    }
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
      job->share[d.place()] = std::min<Share>(rest, share_at_most(job->demand[d]));
      rest -= job->share[d.place()];
    }
  }
}

}  // namespace weir
