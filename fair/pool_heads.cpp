#include "fair/pool_heads.h"

#include <algorithm>

namespace weir {

PoolHeads::PoolHeads(const ClusterState& state, const PoolTree& tree, PoolAmounts& amounts,
                     const PoolStanding& standing, Waits waits)
    : state_(state),
      tree_(tree),
      amounts_(amounts),
      standing_(standing),
      reservers_(state),
      waiters_(state, tree, amounts, standing, reservers_),
      waits_(std::move(waits)),
      views_({}),
      size_of_(64, nullptr) {}

// --- The best head ---

std::optional<PoolHeads::Head> PoolHeads::best(const Reach& reach) {
  follow();
  if (standing_.any_lends_less() || reach.ends_by || reach.for_hold)
    return walked(PoolTree::root(), reach);
  const SizeMasks masks = masks_of(reach);
  note_offer(reach);
  if (masks == SizeMasks{} && !may_move_) return std::nullopt;
  return best_in(PoolTree::root(), masks, reach);
}

std::optional<PoolHeads::Head> PoolHeads::best_in(PoolId pool, const SizeMasks& masks,
                                                  const Reach& reach) {
  const Waiters waiters = waiters_.below(pool);
  Contest contest{[&](const Head& head) { return gives_way(pool, waiters, head); }};
  if (tree_.node(pool).leaf()) has_movers(pool, reach);  // notes which of its jobs these are
  if (!(masks == SizeMasks{})) {
    Views::View& view = view_of(pool, masks);
    for (;;) {
      const Views::Rank* first =
          view.first([&](std::uint32_t c) { return answer(pool, c, masks); });
      if (first == nullptr || !contest.is_won_by(*first)) break;
      const std::uint32_t child = first->child();
      if (!moves(pool, child, reach)) {
        contest.enter(view.head(child), *first);
        if (contest.best && contest.rank.child() == child) break;
      }
      // It gives way, or the order may be wrong of what would move a reservation here.
      view.hide(child);
    }
    std::vector<Views::Rank> depending;
    for (const std::uint32_t child : view.depending()) {
      if (moves(pool, child, reach)) continue;
      if (const auto rank = at_best(pool, child, masks)) depending.push_back(*rank);
    }
    std::sort(depending.begin(), depending.end());
    for (const Views::Rank& rank : depending) {
      if (!contest.is_won_by(rank)) break;
      contest.enter(rank.child(), ask(pool, rank.child(), masks, reach));
    }
    view.show_all();
  }
  ask_movers(pool, masks, reach, contest);
  return contest.best;
}

// What a child gives on the tracker on offer.
std::optional<PoolHeads::Head> PoolHeads::ask(PoolId family, std::uint32_t child,
                                              const SizeMasks& masks, const Reach& reach) {
  if (tree_.node(family).leaf()) {
    amounts_.settle_jobs(family);
    const JobLine& line = *families_[family.index()].jobs[child];
    auto head = head_of_job(line, reach);
    if (head) place(line, *head);
    return head;
  }
  const PoolId pool = families_[family.index()].pools[child];
  auto head = best_in(pool, narrowed(masks, pool), reach);
  const PoolReservers::Jobs reserving = reservers_.jobs_in(pool);
  if (head && is_held_back(pool, *head, reserving))
    head = head_of_waiting(pool, reserving, reach);
  if (head && !place(pool, *head)) head.reset();
  return head;
}

PoolHeads::Views::View& PoolHeads::view_of(PoolId pool, const SizeMasks& masks) {
  if (tree_.node(pool).leaf()) {
    amounts_.settle_jobs(pool);
    std::uint64_t& deals = families_[pool.index()].deals;
    if (deals != amounts_.deals(pool)) {
      views_.forget(pool.index());
      auto& best = families_[pool.index()].best_of_jobs;
      std::fill(best.begin(), best.end(), std::nullopt);
    }
    deals = amounts_.deals(pool);
  }
  return views_.at(pool.index(), masks,
                   [&](std::uint32_t child) { return at_best(pool, child, masks); });
}

// No task that matters could bring it further forward.
std::optional<PoolHeads::Views::Rank> PoolHeads::at_best(PoolId family, std::uint32_t child,
                                                         const SizeMasks& masks) {
  if (!tree_.node(family).leaf()) {
    const PoolId pool = families_[family.index()].pools[child];
    return narrowed(masks, pool) == SizeMasks{} ? std::nullopt
                                                : std::optional(best_rank(family, child));
  }
  const std::uint64_t sizes = masks.starts | masks.reserves | masks.picky | masks.elsewhere;
  const bool could = (families_[family.index()].sizes_of_jobs[child] & sizes) != 0;
  return could ? std::optional(best_rank(family, child)) : std::nullopt;
}

// Of its tasks of whatever size; kept until it changes.
PoolHeads::Views::Rank PoolHeads::best_rank(PoolId family, std::uint32_t child) {
  Family& here = families_[family.index()];
  if (tree_.node(family).leaf()) {
    auto& best = here.best_of_jobs[child];
    if (!best) best = best_rank(*here.jobs[child]);
    best->set_child(child);
    return *best;
  }
  const PoolId pool = here.pools[child];
  auto& best = families_[pool.index()].best;
  if (!best) best = amounts_.best_rank(pool);
  return {best->step, {.part = best->key}, child};
}

// What a child would give on any tracker where these masks hold.
PoolHeads::Views::Answer PoolHeads::answer(PoolId family, std::uint32_t child,
                                           const SizeMasks& masks) {
  if (!tree_.node(family).leaf()) {
    const PoolId pool = families_[family.index()].pools[child];
    return answer_of_pool(pool, narrowed(masks, pool));
  }
  const JobLine& line = *families_[family.index()].jobs[child];
  Views::Answer answer = answer_of_job(line, masks);
  if (answer.head) place(line, *answer.head);
  return answer;
}

PoolHeads::Views::Answer PoolHeads::answer_of_pool(PoolId pool, const SizeMasks& masks) {
  Views::Answer answer;
  if (masks == SizeMasks{}) return answer;
  Views::View& view = view_of(pool, masks);
  const Views::Rank* first =
      view.first([&](std::uint32_t c) { return this->answer(pool, c, masks); });
  for (const std::uint32_t c : view.depending()) {
    const auto rank = at_best(pool, c, masks);
    answer.depends = answer.depends || (rank && (first == nullptr || *rank < *first));
  }
  if (answer.depends || first == nullptr) return answer;
  const Head& head = view.head(first->child());
  answer.depends = is_held_back(pool, head, reservers_.jobs_in(pool)) ||
                   gives_way(pool, waiters_.below(pool), head);
  if (answer.depends) return answer;
  answer.head = head;
  if (!place(pool, *answer.head)) answer.head.reset();
  return answer;
}

// --- Looking at all ---

// In the order in which they stand at best, until nobody could come before what is found.
std::optional<PoolHeads::Head> PoolHeads::walked(PoolId pool, const Reach& reach) const {
  const PoolTree::Node& node = tree_.node(pool);
  std::vector<PoolId> pools;
  std::vector<const JobLine*> jobs;
  std::vector<Views::Rank> order;
  const auto add = [&](Views::Rank at_best) {
    at_best.set_child(static_cast<std::uint32_t>(order.size()));
    order.push_back(at_best);
  };
  if (!node.leaf()) {
    for (const auto& [name, child] : node.children) {
      const PoolRank at_best = amounts_.best_rank(child);
      pools.push_back(child);
      add({at_best.step, {.part = at_best.key}});
    }
  } else if (could_give(pool, reach)) {
    amounts_.settle_jobs(pool);
    for (const auto& [tie, line] : amounts_.jobs(pool)) {
      jobs.push_back(line);
      add(best_rank(*line));
    }
  }
  std::sort(order.begin(), order.end());
  const Waiters waiters = reach.for_hold ? Waiters() : waiters_.below(pool);
  std::optional<Head> best;
  Views::Rank best_rank;
  for (const Views::Rank& at_best : order) {
    if (best && best_rank < at_best) break;
    const std::uint32_t child = at_best.child();
    auto head = node.leaf() ? head_of_job(*jobs[child], reach) : walked(pools[child], reach);
    if (!head || gives_way(pool, waiters, *head)) continue;
    if (node.leaf()) place(*jobs[child], *head);
    const Views::Rank rank{head->step, head->key, child};
    if (best && !(rank < best_rank)) continue;
    best = head;
    best_rank = rank;
  }
  if (best && node.leaf() && !reach.for_hold) {
    const PoolReservers::Jobs reserving = waiters_.reserving_in(pool);
    if (is_held_back(pool, *best, reserving)) best = head_of_waiting(pool, reserving, reach);
  }
  if (!best || !place(pool, *best)) return std::nullopt;
  return best;
}

// --- Places ---

bool PoolHeads::place(PoolId pool, Head& head) const {
  if (pool == PoolTree::root()) return true;
  const Resources& need = head.size->need;
  const bool may = head.reserves
                       ? standing_.short_of_maximum(pool, need)
                       : standing_.within_pool(pool, state_.job(head.job), need);
  if (!may) return false;
  const PoolRank rank = amounts_.rank(pool, amounts_.pool(pool).running, need);
  head.step = rank.step;
  head.key = {.part = rank.key};
  return true;
}

void PoolHeads::place(const JobLine& line, Head& head) const {
  const PoolRank rank = standing_.rank(line, head.size->need);
  head.step = rank.step;
  head.key = {rank.key, line.tie.first, line.name_order};
}

PoolHeads::Views::Rank PoolHeads::best_rank(const JobLine& line) const {
  const PoolRank best = standing_.in_order(line.pool)
                            ? PoolRank{.step = static_cast<int>(line.priority)}
                            : amounts_.best_rank(line);
  return {best.step, {best.key, line.tie.first, line.name_order}};
}

}  // namespace weir
