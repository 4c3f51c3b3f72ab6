#include "fair/pool_waiters.h"

#include <algorithm>

#include "jobqueue/policy/container_reservations.h"

namespace weir {

// --- In a leaf ---

const PoolWaiters::JobLine* PoolWaiters::has_turn(PoolId leaf) const {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn == nullptr) return nullptr;
  const JobLine* line = standing_.find(turn->job);
  if (line == nullptr || line->pool != leaf || !line->runnable) return nullptr;
  const Job& job = state_.job(turn->job);
  if (job.waits_for_gang(turn->kind) || job.launchable(turn->kind) == 0) return nullptr;
  const Resources& need = job.need(turn->kind);
  const ShareLine& pool = amounts_.pool(leaf);
  return amounts_.within_share(pool, pool.running, need) ? nullptr : line;
}

PoolReservers::Jobs PoolWaiters::reserving_in(PoolId leaf) const {
  PoolReservers::Jobs jobs;
  for (const Reservation& kept : state_.claims().reservations()) {
    const JobLine* line = standing_.find(kept.job);
    if (line != nullptr && line->pool == leaf) jobs.push_back(kept.job);
  }
  return jobs;
}

bool PoolWaiters::is_held_back(PoolId leaf, const JobLine& line, const Resources& need,
                               bool reserves, const PoolReservers::Jobs& reserving) const {
  const Space& space = state_.space();
  const ShareLine& pool = amounts_.pool(leaf);
  const JobLine* next = has_turn(leaf);
  if (next != nullptr && next->job != line.job) {
    const Resources& waits = state_.job(next->job).need(state_.reserve_turn()->kind);
    const Amounts without = minus(space, pool.running, need);
    if (amounts_.short_of_share(pool, without, waits) && comes_before(*next, waits, line, need))
      return true;
  }
  return std::any_of(reserving.begin(), reserving.end(), [&](JobId job) {
    const Reservation* kept = reservation_of(state_, job);
    return kept != nullptr && ends_reservation(line, need, *kept, reserves);
  });
}

// Where jobs divide the pool, those below their shares come before a larger task again and again.
bool PoolWaiters::ends_reservation(const JobLine& line, const Resources& need,
                                   const Reservation& kept, bool reserves) const {
  const JobLine* other = kept.job == line.job ? nullptr : standing_.find(kept.job);
  if (other == nullptr || other->pool != line.pool) return false;
  const ShareLine& pool = amounts_.pool(line.pool);
  const Resources& waits = state_.job(kept.job).need(kept.kind);
  const bool smaller = is_larger(state_.space(), waits, need);
  const bool divides = smaller && !standing_.in_order(line.pool);
  if ((reserves && !smaller) || (!divides && !comes_before(*other, waits, line, need)))
    return false;
  const Amounts with = plus(state_.space(), pool.running, need);
  return amounts_.short_of_share(pool, waits) && !amounts_.short_of_share(pool, with, waits);
}

bool PoolWaiters::ends_larger_one(const JobLine& line, const Resources& need) const {
  const auto& all = reservers_.in(line.pool);
  return std::any_of(all.begin(), all.end(), [&](const Reserver& other) {
    return ends_reservation(line, need, *reservation_of(state_, other.job), true);
  });
}

// --- Below a pool ---

PoolId PoolWaiters::child_towards(PoolId pool, PoolId leaf) const {
  PoolId child = leaf;
  while (tree_.node(child).parent != pool) child = tree_.node(child).parent;
  return child;
}

bool PoolWaiters::comes_before(PoolId a, const Resources& of_a, PoolId b,
                               const Resources& of_b) const {
  const PoolRank first = amounts_.rank(a, amounts_.pool(a).running, of_a);
  const PoolRank second = amounts_.rank(b, amounts_.pool(b).running, of_b);
  if (first < second || second < first) return first < second;
  return tree_.node(a).path < tree_.node(b).path;
}

bool PoolWaiters::comes_before(const JobLine& a, const Resources& of_a, const JobLine& b,
                               const Resources& of_b) const {
  const PoolRank first = standing_.rank(a, of_a), second = standing_.rank(b, of_b);
  if (first < second || second < first) return first < second;
  return a.tie.first != b.tie.first ? a.tie.first < b.tie.first : a.name_order < b.name_order;
}

// A turn may come before its leaf is short; a reservation ends when that is not. What is above the
// pool does not matter: so all that this depends on marks the pool.
PoolWaiters::Waiters PoolWaiters::below(PoolId pool) const {
  Waiters all;
  const auto& reserved = state_.claims().reservations();
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  const bool any = turn != nullptr || !reserved.empty();
  if (!any || pool == PoolTree::root() || tree_.node(pool).leaf()) return all;
  const auto enter = [&](JobId id, TaskKind kind, bool has_turn) {
    const JobLine* line = standing_.find(id);
    if (line == nullptr || !line->runnable || !tree_.contains(pool, line->pool)) return;
    const Job& job = state_.job(id);
    if (job.waits_for_gang(kind)) kind = job.gang_kind();
    const Resources& need = job.need(kind);
    bool is_short = amounts_.short_of_share(amounts_.pool(pool), need);
    for (PoolId p = line->pool; p != pool; p = tree_.node(p).parent)
      is_short = is_short && (has_turn || amounts_.short_of_share(amounts_.pool(p), need));
    if (is_short) all.push_back({line, &need, has_turn});
  };
  if (turn != nullptr) enter(turn->job, turn->kind, true);
  for (const Reservation& kept : reserved) enter(kept.job, kept.kind, false);
  return all;
}

bool PoolWaiters::ends_wait(PoolId pool, const Waiter& waiter, const JobLine& line,
                            const Resources& need, bool reserves) const {
  if (line.job == waiter.line->job) return false;
  if (reserves && !waiter.has_turn && !is_larger(state_.space(), *waiter.need, need))
    return false;
  const ShareLine& here = amounts_.pool(pool);
  const Amounts with = plus(state_.space(), here.running, need);
  if (amounts_.short_of_share(here, with, *waiter.need)) return false;
  const PoolId leaf = waiter.line->pool;
  if (line.pool == leaf) return comes_before(*waiter.line, *waiter.need, line, need);
  // Which of them the pool above both would ask first.
  PoolId child = line.pool;
  while (!tree_.contains(tree_.node(child).parent, leaf)) child = tree_.node(child).parent;
  return comes_before(child_towards(tree_.node(child).parent, leaf), *waiter.need, child, need);
}

bool PoolWaiters::ends_a_wait(const JobLine& line, const Resources& need) const {
  if (ends_larger_one(line, need)) return true;
  for (PoolId p = tree_.node(line.pool).parent; p != PoolTree::root(); p = tree_.node(p).parent) {
    for (const Waiter& waiter : below(p)) {
      if (is_larger(state_.space(), *waiter.need, need) && ends_wait(p, waiter, line, need, true))
        return true;
    }
  }
  return false;
}

}  // namespace weir
