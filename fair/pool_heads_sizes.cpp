// What heads follow, and what a tracker is for tasks of each size.
#include <algorithm>
#include <utility>

#include "fair/pool_heads.h"

namespace weir {

// --- What has changed ---

void PoolHeads::mark(PoolId pool) {
  if (pools_changed_) return;  // nobody knows anything
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    Family& family = families_[p.index()];
    family.best.reset();
    const PoolId parent = tree_.node(p).parent;
    views_.mark(parent.index(), family.place);
    if (parent == PoolTree::root() && !std::exchange(family.may_rank_otherwise, true))
      stale_.push_back(p);
  }
}

void PoolHeads::read(JobLine& line) {
  if (families_.size() < tree_.size()) families_.resize(tree_.size());
  Family& family = families_[line.pool.index()];
  if (line.stands && line.place == JobLine::kNoPlace) {
    if (family.free.empty()) {
      const std::size_t before = family.jobs.size();
      family.jobs.resize(std::max<std::size_t>(8, 2 * before));
      family.sizes_of_jobs.resize(family.jobs.size());
      family.best_of_jobs.resize(family.jobs.size());
      for (std::size_t place = family.jobs.size(); place-- > before;)
        family.free.push_back(static_cast<std::uint32_t>(place));
      views_.reset(line.pool.index(), family.jobs.size());
    }
    line.place = family.free.back();
    family.free.pop_back();
    family.jobs[line.place] = &line;
    reservers_.read(line.job, &line);
  }
  if (line.place != JobLine::kNoPlace) {
    views_.mark(line.pool.index(), line.place);
    family.best_of_jobs[line.place].reset();
    std::uint64_t& sizes = family.sizes_of_jobs[line.place] = 0;
    for (const auto& [size, picky] : line.sizes) sizes |= line.stands ? mask_of(*size) : 0;
  }
  mark(line.pool);
  read_sizes(line.pool);
  if (line.stands || line.place == JobLine::kNoPlace) return;
  family.jobs[line.place] = nullptr;
  family.free.push_back(line.place);
  line.place = JobLine::kNoPlace;
  reservers_.read(line.job, nullptr);
}

void PoolHeads::turn_changed(JobId job) {
  if (const JobLine* line = standing_.find(job)) mark(line->pool);
}

void PoolHeads::follow() {
  amounts_.take_changed(changed_);
  if (std::exchange(pools_changed_, false)) {
    read_pools();
  } else {
    for (const PoolId pool : changed_) mark(pool);
  }
  read_assembler();
}

void PoolHeads::read_pools() {
  families_.resize(tree_.size());
  for (std::size_t p = 0; p < tree_.size(); ++p) {
    Family& family = families_[p];
    family.pools.clear();
    family.sizes = {};
    family.best.reset();
    family.bounded = family.bounded_within = false;
    for (const auto& [name, child] : tree_.node(PoolId(p)).children) {
      families_[child.index()].place = static_cast<std::uint32_t>(family.pools.size());
      family.pools.push_back(child);
    }
    views_.reset(p, family.pools.empty() ? family.jobs.size() : family.pools.size());
  }
  tree_.visit_children_first(PoolTree::root(), [&](PoolId pool) {
    bool bounded = false;
    for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent)
      bounded = bounded || standing_.has_maximum(p);
    families_[pool.index()].bounded = bounded;
    if (bounded) {
      for (PoolId p = pool; p.valid(); p = tree_.node(p).parent)
        families_[p.index()].bounded_within = true;
    }
    if (tree_.node(pool).leaf()) read_sizes(pool);
  });
  stale_ = families_[PoolTree::root().index()].pools;
  for (const PoolId pool : stale_) families_[pool.index()].may_rank_otherwise = true;
  reservers_order_.resize(stale_.size());
}

void PoolHeads::read_sizes(PoolId leaf) {
  WantedSizes sizes;
  for (const auto& [size, wanted] : amounts_.sizes(leaf)) {
    const std::uint64_t mask = mask_of(*size);
    sizes.all |= mask;
    if (wanted.picky > 0) sizes.picky |= mask;
    if (mask != kFurtherSizes) size_of_[size->number] = size;
  }
  for (PoolId p = leaf;;) {
    Family& family = families_[p.index()];
    if (sizes.all == family.sizes.all && sizes.picky == family.sizes.picky) return;
    family.sizes = sizes;
    if (p == PoolTree::root()) return;
    p = tree_.node(p).parent;
    sizes = {};
    for (const auto& [name, child] : tree_.node(p).children) {
      sizes.all |= families_[child.index()].sizes.all;
      sizes.picky |= families_[child.index()].sizes.picky;
    }
  }
}

// Whether its gang collects room says what a job may do, and that counts at maximums.
void PoolHeads::read_assembler() {
  const JobId now = state_.assembly() == nullptr ? JobId{} : state_.assembly()->job;
  if (now == assembler_) return;
  if (assembler_.valid()) mark_job(standing_.find(assembler_));
  if (now.valid()) mark_job(standing_.find(now));
  assembler_ = now;
}

// --- What the tracker is for which sizes ---

const SizeMasks& PoolHeads::masks_of(const Reach& reach) {
  const Family& all = families_[PoolTree::root().index()];
  here_ = sizes_here(state_, reach.tracker, reach.used, reach.reserve, all.sizes, size_of_,
                     all.bounded_within);
  return here_.masks;
}

bool PoolHeads::any_might_have_turn(const ReserveHere& reserve) const {
  const WantedSizes& all = families_[PoolTree::root().index()].sizes;
  bool might =
      standing_.any_lends_less() || all.picky != 0 || (all.all & kFurtherSizes) != 0;
  each_size(here_.could_reserve, [&](std::size_t number) {
    might = might || reserve.may_have_turn(size_of_[number]->need);
  });
  return might;
}

// What of it matters to a pool; it may reserve, or wait for room below a maximum, only while it is
// short.
SizeMasks PoolHeads::narrowed(const SizeMasks& masks, PoolId pool) const {
  const Family& family = families_[pool.index()];
  SizeMasks out = {.starts = masks.starts & family.sizes.all,
                   .reserves = masks.reserves & family.sizes.all,
                   .picky = masks.picky & family.sizes.picky,
                   .elsewhere = family.bounded_within ? masks.elsewhere & family.sizes.all : 0};
  each_size(out.reserves | out.picky | out.elsewhere, [&](std::size_t number) {
    const Resources& need = size_of_[number]->need;
    if (amounts_.short_of_share(amounts_.pool(pool), need) &&
        standing_.short_of_maximum(pool, need))
      return;
    const std::uint64_t others = ~(std::uint64_t{1} << number);
    out.reserves &= others;
    out.picky &= others;
    out.elsewhere &= others;
  });
  return out;
}

}  // namespace weir
