// Jobs that have trackers reserved and would move to the one on offer: asked for as far as they
// could come first, since most of them would not.
#include <algorithm>
#include <utility>

#include "fair/pool_heads.h"

namespace weir {

void PoolHeads::reserved(JobId job) {
  const JobLine* line = standing_.find(job);
  reservers_.read(job, line);
  mark_job(line);
}

void PoolHeads::mark_job(const JobLine* line) {
  if (line == nullptr || line->place == JobLine::kNoPlace) return;
  views_.mark(line->pool.index(), line->place);
  mark(line->pool);
}

void PoolHeads::rank_reservers() {
  for (const PoolId pool : stale_) {
    Family& family = families_[pool.index()];
    family.may_rank_otherwise = false;
    if (!reservers_.in(pool).empty()) {
      reservers_order_.set(family.place, best_rank(PoolTree::root(), family.place));
    } else if (reservers_order_.at(family.place) != nullptr) {
      reservers_order_.clear(family.place);
    }
  }
  stale_.clear();
}

void PoolHeads::note_offer(const Reach& reach) {
  ++offers_;
  may_move_ = reach.reserve != nullptr && reach.tracker.keeps == 0 && !reservers_.empty();
  if (!may_move_) return;
  rank_reservers();
  for (const PoolId leaf : reservers_.leaves()) {
    PoolId p = tree_.node(leaf).parent;
    if (p == PoolTree::root() || !has_movers(leaf, reach)) continue;
    std::uint32_t child = families_[leaf.index()].place;
    for (; p.valid(); p = tree_.node(p).parent) {
      Family& family = families_[p.index()];
      if (std::exchange(family.moving_at, offers_) != offers_) family.moving.clear();
      if (std::find(family.moving.begin(), family.moving.end(), child) != family.moving.end())
        break;
      family.moving.push_back(child);
      child = family.place;
    }
  }
}

bool PoolHeads::has_movers(PoolId leaf, const Reach& reach) {
  const auto& all = reservers_.in(leaf);
  if (!may_move_ || all.empty()) return false;
  Family& family = families_[leaf.index()];
  if (std::exchange(family.moving_at, offers_) != offers_) {
    family.moving.clear();
    for (const PoolReservers::Mover& mover : all)
      if (would_move_here(mover, here_, *reach.reserve)) family.moving.push_back(mover.place);
  }
  return !family.moving.empty();
}

bool PoolHeads::moves(PoolId pool, std::uint32_t child, const Reach& reach) {
  if (!may_move_) return false;
  const Family& family = families_[pool.index()];
  if (pool == PoolTree::root() && tree_.node(family.pools[child]).leaf())
    return has_movers(family.pools[child], reach);
  return family.moving_at == offers_ &&
         std::find(family.moving.begin(), family.moving.end(), child) != family.moving.end();
}

// Those of which what the order of all says may be wrong.
void PoolHeads::ask_movers(PoolId pool, const SizeMasks& masks, const Reach& reach,
                           Contest& contest) {
  if (!may_move_) return;
  const Family& family = families_[pool.index()];
  const auto enter = [&](std::uint32_t child) {
    if (contest.is_won_by(best_rank(pool, child)))
      contest.enter(child, ask(pool, child, masks, reach));
  };
  if (family.moving_at == offers_)
    for (const std::uint32_t child : family.moving) enter(child);
  if (pool != PoolTree::root()) return;
  if (contest.best) {
    reservers_order_.visit([&](const Views::Rank& rank) {
      if (!contest.is_won_by(rank)) return true;  // nor by those behind it
      if (has_movers(family.pools[rank.child()], reach)) enter(rank.child());
      return false;
    });
    return;
  }
  for (const PoolId leaf : reservers_.leaves())
    if (tree_.node(leaf).parent == pool && has_movers(leaf, reach))
      enter(families_[leaf.index()].place);
}

}  // namespace weir
