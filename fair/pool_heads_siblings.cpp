// What large tasks wait for whose pool is short of its share only until small ones of other pools
// below the same one start again (pool_heads_turns.cpp tells of those of the same leaf): those
// behind them leave it to them.
#include <algorithm>

#include "fair/pool_heads.h"

namespace weir {

PoolId PoolHeads::child_towards(PoolId pool, PoolId leaf) const {
  PoolId child = leaf;
  while (tree_.node(child).parent != pool) child = tree_.node(child).parent;
  return child;
}

bool PoolHeads::comes_before(PoolId a, const Resources& of_a, PoolId b,
                             const Resources& of_b) const {
  const PoolRank first = amounts_.rank(a, amounts_.pool(a).running, of_a);
  const PoolRank second = amounts_.rank(b, amounts_.pool(b).running, of_b);
  if (first < second || second < first) return first < second;
  return tree_.node(a).path < tree_.node(b).path;
}

// A turn may come before its leaf is short; a reservation ends when that is not. What is above the
// pool does not matter: so all that this depends on marks the pool.
std::optional<PoolHeads::Waiter> PoolHeads::first_waiter(PoolId pool) const {
  const auto& kept = state_.claims().reservations();
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (pool == PoolTree::root() || tree_.node(pool).leaf() || (turn == nullptr && kept.empty()))
    return std::nullopt;
  std::optional<Waiter> first;
  PoolId child_of_first;
  const auto enter = [&](JobId id, TaskKind kind, bool has_turn) {
    const JobLine* line = standing_.find(id);
    if (line == nullptr || !line->runnable || !tree_.contains(pool, line->pool)) return;
    const Job& job = state_.job(id);
    if (job.waits_for_gang(kind)) kind = job.gang_kind();
    const Resources& need = job.need(kind);
    bool is_short = amounts_.short_of_share(amounts_.pool(pool), need);
    PoolId child = line->pool;
    for (;; child = tree_.node(child).parent) {
      is_short = is_short && (has_turn || amounts_.short_of_share(amounts_.pool(child), need));
      if (tree_.node(child).parent == pool) break;
    }
    if (!is_short) return;
    if (first && !comes_before(child, need, child_of_first, *first->need)) return;
    first = Waiter{line, kind, &need, has_turn};
    child_of_first = child;
  };
  if (turn != nullptr) enter(turn->job, turn->kind, true);
  for (const Reservation& one : kept) enter(one.job, one.kind, false);
  return first;
}

bool PoolHeads::ends_wait(PoolId pool, const Waiter& waiter, const Head& head) const {
  if (head.size->gang || head.job == waiter.line->job) return false;
  const Resources& need = head.size->need;
  if (head.reserves && !waiter.has_turn && !is_larger(state_.space(), *waiter.need, need))
    return false;
  const ShareLine& here = amounts_.pool(pool);
  if (amounts_.short_of_share(here, plus(state_.space(), here.running, need), *waiter.need))
    return false;
  const JobLine& line = *standing_.find(head.job);
  const PoolId leaf = waiter.line->pool;
  if (line.pool == leaf) {
    Head first{.job = waiter.line->job,
               .kind = waiter.kind,
               .size = &state_.job(waiter.line->job).size(waiter.kind)};
    Head second = head;
    place(*waiter.line, first);
    place(line, second);
    return Views::Rank{first.step, first.key} < Views::Rank{second.step, second.key};
  }
  // Which of them the pool above both would ask first.
  PoolId child = line.pool;
  while (!tree_.contains(tree_.node(child).parent, leaf)) child = tree_.node(child).parent;
  return comes_before(child_towards(tree_.node(child).parent, leaf), *waiter.need, child, need);
}

// --- Whose turn it is ---

std::optional<Choice> PoolHeads::turn_beside(const Head& head, const Reach& reach,
                                             bool by_walking) {
  const Resources& other = head.size->need;
  PoolId child = standing_.find(head.job)->pool;
  for (PoolId p = tree_.node(child).parent; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto is_passed = [&](const Size& size) {
      return !size.gang && !state_.fits_in(size.need, reach.tracker, reach.used) &&
             standing_.short_on_the_way(p, size.need) &&
             standing_.ends_being_short(p, other, size.need);
    };
    std::optional<Head> before;
    if (by_walking) {
      before = walked_passed(p, is_passed, child);
    } else {
      std::uint64_t sizes = 0;
      each_size(families_[p.index()].sizes.all & ~kFurtherSizes, [&](std::size_t number) {
        if (is_passed(*size_of_[number])) sizes |= std::uint64_t{1} << number;
      });
      if (sizes != 0) before = passed(p, {.reserves = sizes, .picky = sizes}, child);
    }
    if (before) {
      const PoolId its = child_towards(p, standing_.find(before->job)->pool);
      auto turn = comes_before(its, before->size->need, child, other) ? turn_for(*before, reach)
                                                                      : std::nullopt;
      if (turn) return turn;
    }
    child = p;
  }
  return std::nullopt;
}

std::optional<PoolHeads::Head> PoolHeads::walked_passed(PoolId pool, const IsPassed& is_passed,
                                                        PoolId beside) {
  const PoolTree::Node& node = tree_.node(pool);
  if (node.leaf()) {
    std::uint64_t sizes = 0;
    for (const auto& [size, wanted] : amounts_.sizes(pool)) {
      if (is_passed(*size)) sizes |= mask_of(*size);
    }
    return first_passed(pool, sizes & ~kFurtherSizes, true);
  }
  std::optional<Head> best;
  for (const auto& [name, child] : node.children) {
    if (child == beside) continue;
    auto head = walked_passed(child, [&, pool = child](const Size& size) {
      return is_passed(size) && amounts_.short_of_share(amounts_.pool(pool), size.need) &&
             standing_.short_of_maximum(pool, size.need);
    });
    if (!head || !place(child, *head)) continue;
    if (!best || Views::Rank{head->step, head->key} < Views::Rank{best->step, best->key})
      best = head;
  }
  return best;
}

// The same by the orders that are kept.
std::optional<PoolHeads::Head> PoolHeads::passed(PoolId pool, const SizeMasks& masks,
                                                 PoolId beside) {
  if (tree_.node(pool).leaf()) return first_passed(pool, masks.reserves, false);
  const std::vector<PoolId>& pools = families_[pool.index()].pools;
  Views::View& view = view_of(pool, masks);
  if (beside.valid()) view.hide(families_[beside.index()].place);
  std::uint32_t child = 0;
  std::optional<Head> best;
  const auto ask = [&](std::uint32_t c) { return answer(pool, c, masks); };
  if (const Head* first = view.first(child, ask)) best = *first;
  for (const std::uint32_t c : view.depending()) {
    if (pools[c] == beside) continue;
    auto head = passed(pools[c], narrowed(masks, pools[c]));
    if (!head || !place(pools[c], *head)) continue;
    const Views::Rank rank{head->step, head->key, c};
    if (best && !(rank < Views::Rank{best->step, best->key, child})) continue;
    best = head;
    child = c;
  }
  view.show_all();
  return best;
}

}  // namespace weir
