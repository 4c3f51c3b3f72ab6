#include "fair/standings.h"

#include <algorithm>

#include "fair/shares.h"
#include "jobqueue/model/check.h"

namespace weir {
namespace {

std::uint64_t prefix_of(const std::string& name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0);
  }
  return prefix;
}

}  // namespace

bool operator<(const PoolKey& a, const PoolKey& b) {
  if (a.above != b.above) return !a.above;
  if (a.divisor == b.divisor) {  // in one comparison: who wins cannot be predicted
    const Int128 left = Int128(a.running) << 64 | a.prefix;
    const Int128 right = Int128(b.running) << 64 | b.prefix;
    if (left != right) return left < right;
  } else {
    const Int128 left = Int128(a.running) * b.divisor;
    const Int128 right = Int128(b.running) * a.divisor;
    if (left != right) return left < right;
  }
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return a.name != b.name && *a.name < *b.name;
}

Standings::Standings(const PoolTree& tree, TaskKind kind, bool job_shares_in_fifo,
                     std::int64_t copy_factor)
    : tree_(tree), kind_(kind), job_shares_in_fifo_(job_shares_in_fifo), copy_factor_(copy_factor) {
  pools_.resize(tree.size());
  for (std::size_t p = 1; p < tree.size(); ++p) add_pool(PoolId(p));
}

void Standings::add_pool(PoolId pool) {
  if (pool.index() >= pools_.size()) pools_.resize(tree_.size());
  const PoolTree::Node& node = tree_.node(pool);
  Pool& added = pools_[pool.index()];
  added = Pool{};
  added.line.minimum = node.settings->min_share[index(kind_)];
  added.line.maximum = node.settings->max_share[index(kind_)].value_or(INT64_MAX);
  if (copy_factor_ > 0) {
    added.line.minimum = 0;
    if (added.line.maximum <= INT64_MAX / copy_factor_) added.line.maximum *= copy_factor_;
  }
  added.line.weight = node.settings->weight;
  added.parent = node.parent;
  added.fifo = node.settings->mode == PoolSettings::Mode::kFifo;
  added.name = node.name;
  added.prefix = prefix_of(*node.name);
  Pool& parent = pools_[node.parent.index()];
  added.place = parent.order.join();
  parent.children.push_back(pool);
  parent.stale = any_stale_ = true;
}

void Standings::remove_pool(PoolId pool, PoolId parent) {
  WEIR_CHECK(marked_.empty(), "what a pool held has been settled before it goes");
  Pool& above = pools_[parent.index()];
  above.order.leave(pools_[pool.index()].place);
  std::erase(above.children, pool);
  above.stale = any_stale_ = true;
  pools_[pool.index()] = Pool{};
}

// --- Jobs ---

void Standings::join(JobStand& stand) {
  Pool& pool = pools_[stand.pool.index()];
  stand.facts = {};
  stand.member = pool.members.size();
  pool.members.push_back(&stand);
  pool.jobs.join(stand.seat, stand.limited, stand.width);
  pool.jobs_stale = true;
}

void Standings::leave(JobStand& stand) {
  set(stand, {});
  Pool& pool = pools_[stand.pool.index()];
  pool.jobs.leave(stand.seat);
  pool.members.back()->member = stand.member;
  pool.members[stand.member] = pool.members.back();
  pool.members.pop_back();
  pool.jobs_stale = true;
}

void Standings::set(JobStand& stand, const JobFacts& now) {
  const JobFacts& old = stand.facts;
  if (old == now) return;
  const std::int64_t running = now.running - old.running;
  const std::int64_t runnable = (now.runnable ? now.running : 0) - (old.runnable ? old.running : 0);
  const std::int64_t pending = now.pending - old.pending;
  pools_[stand.pool.index()].line.wanted += now.demand() - old.demand();
  pools_[stand.pool.index()].jobs_stale = true;
  for (PoolId p = stand.pool; p.valid(); p = pools_[p.index()].parent) {
    Line& line = pools_[p.index()].line;
    line.running += running;
    line.runnable += runnable;
    line.pending += pending;
  }
  place(stand, now);
  stand.facts = now;
  mark(stand.pool);
}

void Standings::place(const JobStand& stand, const JobFacts& facts) {
  if (facts.pending == 0) return PoolJobs::clear(stand.seat);
  PoolJobs::set(stand.seat, key_of(stand, facts));
}

JobKey Standings::key_of(const JobStand& stand, const JobFacts& facts) const {
  const bool fifo = pools_[stand.pool.index()].fifo;
  JobKey key{.tie = stand.tie, .job = stand.job};
  key.running = fifo ? static_cast<std::int64_t>(stand.priority) : facts.running;
  key.weight = fifo ? 1 : facts.weight;
  return key;
}

void Standings::clear_orders() {
  for (Pool& pool : pools_) {
    for (JobStand* stand : pool.members) PoolJobs::clear(stand->seat);
  }
}

// --- Settling ---

void Standings::mark(PoolId leaf) {
  if (pools_[leaf.index()].marked) return;
  pools_[leaf.index()].marked = true;
  marked_.push_back(leaf);
}

void Standings::settle() {
  for (const PoolId leaf : marked_) {
    pools_[leaf.index()].marked = false;
    for (PoolId p = leaf; p.valid(); p = pools_[p.index()].parent) settle_pool(p);
  }
  marked_.clear();
}

void Standings::settle_pool(PoolId id) {
  Pool& pool = pools_[id.index()];
  const std::int64_t demand = std::min(pool.line.maximum, pool.line.wanted);
  const std::int64_t more = demand - pool.line.demand;
  pool.line.demand = demand;
  if (id == PoolTree::root()) return;
  Pool& parent = pools_[pool.parent.index()];
  if (more != 0) {
    parent.line.wanted += more;
    parent.stale = any_stale_ = true;
  }
  parent.order.set(pool.place, key_of(id));
}

std::optional<PoolKey> Standings::key_of(PoolId id) const {
  const Pool& pool = pools_[id.index()];
  const Line& line = pool.line;
  if (line.pending == 0 || line.running >= line.maximum) return std::nullopt;
  return order_key(id);
}

PoolKey Standings::order_key(PoolId id) const {
  const Pool& pool = pools_[id.index()];
  const Line& line = pool.line;
  PoolKey key{.running = line.running, .prefix = pool.prefix, .name = pool.name, .pool = id};
  key.above = !line.needy();
  key.divisor = key.above ? line.weight : line.floor();
  return key;
}

std::int64_t Standings::cluster_demand() const {
  const Line& root = pools_.front().line;
  return root.demand + root.running - root.runnable;
}

// --- Shares ---

bool Standings::deal_shares(std::int64_t total_slots) {
  settle();
  if (!any_stale_ && dealt_total_ == total_slots) return false;
  Pool& root = pools_.front();
  root.stale = root.stale || dealt_total_ != total_slots;
  dealt_total_ = total_slots;
  root.share = total_slots * kFineSlot;
  root.line.share = coarse(root.share);
  bool changed = false;
  deal(PoolTree::root(), changed);
  any_stale_ = false;
  return changed;
}

void Standings::deal(PoolId parent, bool& changed) {
  const auto& children = pools_[parent.index()].children;
  if (pools_[parent.index()].stale) {
    pools_[parent.index()].stale = false;
    std::vector<ShareClaimant> claimants;
    claimants.reserve(children.size());
    for (const PoolId child : children) {
      const Line& line = pools_[child.index()].line;
      claimants.push_back({line.demand, line.minimum, line.weight, line.maximum});
    }
    const auto shares = fine_shares(pools_[parent.index()].share, claimants);
    std::size_t i = 0;
    for (const PoolId id : children) {
      Pool& child = pools_[id.index()];
      const FineShare share = shares[i++];
      if (child.share == share) continue;
      child.share = share;
      child.line.share = coarse(share);
      child.stale = child.jobs_stale = changed = true;
    }
  }
  for (const PoolId child : children) {
    if (!pools_[child.index()].children.empty()) deal(child, changed);
  }
}

FineShare Standings::fine_job_share(const JobStand& stand) {
  const PoolTree::Node& node = tree_.node(stand.pool);
  if (node.settings->mode == PoolSettings::Mode::kFifo && !job_shares_in_fifo_) return 0;
  Pool& pool = pools_[stand.pool.index()];
  if (pool.jobs_stale) {
    pool.jobs_stale = false;
    std::vector<ShareClaimant> claimants;
    claimants.reserve(pool.members.size());
    for (const JobStand* member : pool.members) {
      claimants.push_back({member->facts.demand(), 0, member->facts.weight});
    }
    const auto shares = fine_shares(pool.share, claimants);
    for (std::size_t i = 0; i < shares.size(); ++i) pool.members[i]->share = shares[i];
  }
  return stand.share;
}

void Standings::deal_guarantee(PoolId leaf, std::vector<Share>& of_members) const {
  const Pool& pool = pools_[leaf.index()];
  std::vector<ShareClaimant> claimants;
  for (const JobStand* member : pool.members) {
    claimants.push_back({member->facts.demand(), 0, member->facts.weight});
  }
  of_members = fair_shares(share_of_slots(pool.line.minimum), claimants);
}

}  // namespace weir
