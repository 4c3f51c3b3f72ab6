#include "fair/pool_standing.h"

#include <algorithm>

#include "jobqueue/policy/container_reservations.h"

namespace weir {

bool PoolStanding::gang_within(const Job& job) const {
  const JobLine* line = find(job.id);
  if (line == nullptr || !line->wants_gang) return false;
  const Resources& sum = job.need(job.gang_kind());
  amounts_.settle_jobs(line->pool);
  if (!in_order(line->pool) && !amounts_.within_share(*line, line->running, sum)) return false;
  for (PoolId p = line->pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const ShareLine& pool = amounts_.pool(p);
    if (!amounts_.within_share(pool, pool.running, sum)) return false;
  }
  return true;
}

bool PoolStanding::short_on_the_way(const JobLine& line, const Resources& need) const {
  amounts_.settle_jobs(line.pool);
  if (!in_order(line.pool) && !amounts_.short_of_share(line, need)) return false;
  return short_on_the_way(line.pool, need);
}

bool PoolStanding::short_on_the_way(PoolId pool, const Resources& need) const {
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    if (!amounts_.short_of_share(amounts_.pool(p), need)) return false;
  }
  return true;
}

bool PoolStanding::ends_being_short(PoolId pool, const Resources& other,
                                    const Resources& need) const {
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const ShareLine& line = amounts_.pool(p);
    if (!amounts_.short_of_share(line, plus(state_.space(), line.running, other), need))
      return true;
  }
  return false;
}

bool PoolStanding::keeps_from_being_short(PoolId leaf, const Resources& other,
                                          const Resources& need) const {
  const ShareLine& pool = amounts_.pool(leaf);
  return amounts_.short_of_share(pool, minus(state_.space(), pool.running, other), need) &&
         short_on_the_way(tree_.node(leaf).parent, need) && ends_being_short(leaf, other, need);
}

bool PoolStanding::has_maximum(PoolId pool) const {
  const auto& maximum = tree_.node(pool).settings->maximum;
  return std::any_of(maximum.begin(), maximum.end(), [](const auto& m) { return m.has_value(); });
}

bool PoolStanding::has_maximum(const Job& job) const {
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (bounds_.has_maximum(q)) return true;
  }
  return false;
}

bool PoolStanding::short_of_maximum(PoolId pool, const Resources& need) const {
  for (const Dimension d : state_.space().dimensions()) {
    const auto& most = tree_.node(pool).settings->maximum[d.value()];
    if (most && need[d] > 0 && amounts_.pool(pool).running[d] >= *most) return false;
  }
  return true;
}

PoolId PoolStanding::too_small(const JobLine& line, const Resources& need) const {
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto& maximum = tree_.node(p).settings->maximum;
    for (const Dimension d : state_.space().dimensions()) {
      if (const auto& most = maximum[d.value()]; most && need[d] > *most) return p;
    }
  }
  return {};
}

bool PoolStanding::short_of_maximums(const JobLine& line, const Resources& need) const {
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    if (!short_of_maximum(p, need)) return false;
  }
  const QueueId leaf = state_.job(line.job).queue;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (bounds_.has_maximum(q) &&
        !is_short(state_.space(), state_.queue(q).running, need, bounds_.maximum(q)))
      return false;
  }
  return could_run(line, need);
}

bool PoolStanding::within_queues(const Job& job, const Resources& need,
                                 const std::map<QueueId, Amounts>* more) const {
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds_.has_maximum(q)) continue;
    Amounts taken = taken_by_others(state_, q, job.id);
    if (more != nullptr && more->contains(q)) taken += more->at(q);
    if (!within(state_.space(), taken, need, bounds_.maximum(q))) return false;
  }
  return true;
}

bool PoolStanding::within_pool(PoolId pool, const Job& job, const Resources& need) const {
  if (!has_maximum(pool)) return true;
  const auto& maximum = tree_.node(pool).settings->maximum;
  Amounts taken = amounts_.pool(pool).running;
  for (const Reservation& kept : state_.claims().reservations()) {
    const JobLine* other = find(kept.job);
    if (kept.job == job.id || other == nullptr || !tree_.contains(pool, other->pool)) continue;
    const Resources& reserved = state_.job(kept.job).need(kept.kind);
    for (const Dimension d : state_.space().dimensions()) taken[d] += reserved[d];
  }
  if (const Assembly* gang = state_.assembly(); gang != nullptr && gang->job != job.id) {
    const JobLine* other = find(gang->job);
    for (const GangRoom& room : gang->rooms) {
      if (other == nullptr || !tree_.contains(pool, other->pool)) break;
      const Resources& held = state_.job(gang->job).need(room.task.kind);
      for (const Dimension d : state_.space().dimensions()) taken[d] += held[d];
    }
  }
  for (const Dimension d : state_.space().dimensions()) {
    if (maximum[d.value()] && need[d] > 0 && taken[d] + need[d] > *maximum[d.value()]) return false;
  }
  return true;
}

bool PoolStanding::within_pools(const JobLine& line, const Resources& need) const {
  const Job& job = state_.job(line.job);
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    if (!within_pool(p, job, need)) return false;
  }
  return true;
}

// --- Minimum shares that are not lent ---

std::optional<KeptRoom> PoolStanding::kept_room(KeptRoom::Stands stands) const {
  if (!any_lends_less()) return std::nullopt;
  std::vector<KeptAmounts::Keeper> keepers(tree_.size());
  std::vector<std::size_t> children_first;
  tree_.visit_children_first(PoolTree::root(), [&](PoolId pool) {
    KeptAmounts::Keeper& keeper = keepers[pool.index()];
    keeper.above = tree_.node(pool).parent.index();
    keeper.running = amounts_.pool(pool).running;
    for (const Dimension d : state_.space().dimensions())
      keeper.keep[d] = kept_of(*tree_.node(pool).settings, d);
    children_first.push_back(pool.index());
  });
  const auto leaf_of = [this](const Job& job) {
    const JobLine* line = find(job.id);
    return line == nullptr ? 0 : line->pool.index();
  };
  return KeptRoom({state_, std::move(keepers), children_first, leaf_of}, state_, std::move(stands),
                  [](const Job&, const Job&) { return false; });  // shares decide
}

}  // namespace weir
