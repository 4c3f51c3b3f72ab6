// Who has the next turn to reserve: a large task that smaller ones pass, which take what its pools
// are short of (pool_waiters.h tells what they leave to it from then on).
#include <algorithm>

#include "fair/pool_heads.h"

namespace weir {

// They may start here, or reserve the tracker, themselves.
std::optional<PoolHeads::Head> PoolHeads::head_of_waiting(
    PoolId leaf, const PoolReservers::Jobs& reserving, const Reach& reach) const {
  std::optional<Head> best;
  const auto enter = [&](const JobLine* line) {
    auto head = line == nullptr ? std::nullopt : head_of_job(*line, reach);
    if (!head || waiters_.ends_larger_one(*line, head->size->need)) return;
    place(*line, *head);
    if (!best || Views::Rank{head->step, head->key} < Views::Rank{best->step, best->key})
      best = head;
  };
  enter(waiters_.has_turn(leaf));
  for (const JobId job : reserving) enter(standing_.find(job));
  return best;
}

// Those that find no room here, and for which the head keeps their pool from being short.
std::uint64_t PoolHeads::passed_sizes(PoolId leaf, const Head& head, const Reach& reach) const {
  std::uint64_t sizes = 0;
  for (const auto& [size, wanted] : amounts_.sizes(leaf)) {
    if (size->gang || state_.fits_in(size->need, reach.tracker, reach.used)) continue;
    if (standing_.keeps_from_being_short(leaf, head.size->need, size->need))
      sizes |= mask_of(*size);
  }
  return sizes & ~kFurtherSizes;
}

// The job's first task of such a size, if it could reserve a tracker.
std::optional<PoolHeads::Head> PoolHeads::passed_of(const JobLine& line,
                                                    std::uint64_t sizes) const {
  if (!line.runnable || reservation_of(state_, line.job) != nullptr) return std::nullopt;
  const Job& job = state_.job(line.job);
  for (const TaskKind kind : job.items()) {
    if (job.launchable(kind) == 0) continue;
    const Size* size = job.tasks(kind).size;
    if ((mask_of(*size) & sizes) == 0) continue;
    if (!standing_.could_run(line, size->need)) continue;
    if (!standing_.in_order(line.pool) && !amounts_.short_of_share(line, size->need)) continue;
    Head head{.job = job.id, .kind = kind, .size = size, .reserves = true};
    place(line, head);
    return head;
  }
  return std::nullopt;
}

std::optional<PoolHeads::Head> PoolHeads::first_passed(PoolId leaf, std::uint64_t sizes,
                                                       bool by_walking) {
  std::optional<Head> best;
  const auto enter = [&](const std::optional<Head>& head) {
    if (head && (!best || Views::Rank{head->step, head->key} < Views::Rank{best->step, best->key}))
      best = head;
  };
  if (by_walking) {
    amounts_.settle_jobs(leaf);
    for (const auto& [tie, line] : amounts_.jobs(leaf)) enter(passed_of(*line, sizes));
    return best;
  }
  const SizeMasks masks{.reserves = sizes, .picky = sizes};
  Views::View& view = view_of(leaf, masks);
  const Views::Rank* first =
      view.first([&](std::uint32_t c) { return answer(leaf, c, masks); });
  if (first != nullptr) enter(view.head(first->child()));
  for (const std::uint32_t c : view.depending())
    enter(passed_of(*families_[leaf.index()].jobs[c], sizes));
  return best;
}

std::optional<Choice> PoolHeads::turn_of_passed(const Head& head, const Reach& reach,
                                                bool by_walking) {
  if (head.lacks_amount || head.waits || head.size->gang) return std::nullopt;
  const JobLine& line = *standing_.find(head.job);
  const std::uint64_t sizes = passed_sizes(line.pool, head, reach);
  const auto before = sizes == 0 ? std::nullopt : first_passed(line.pool, sizes, by_walking);
  Head behind = head;
  place(line, behind);
  if (before && Views::Rank{before->step, before->key} < Views::Rank{behind.step, behind.key}) {
    if (auto turn = turn_for(*before, reach)) return turn;
  }
  return turn_beside(head, reach, by_walking);
}

std::optional<Choice> PoolHeads::turn_for(const Head& passed, const Reach& reach) const {
  const Job& job = state_.job(passed.job);
  const bool has_turn = standing_.short_of_maximums(*standing_.find(job.id), passed.size->need) &&
                        reach.reserve->has_turn_elsewhere(job, passed.kind);
  return has_turn ? std::optional(turn_of(job.id, passed.kind)) : std::nullopt;
}

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
      const PoolId its = waiters_.child_towards(p, standing_.find(before->job)->pool);
      const bool passed = waiters_.comes_before(its, before->size->need, child, other);
      if (auto turn = passed ? turn_for(*before, reach) : std::nullopt) return turn;
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
  Contest contest;
  const auto ask = [&](std::uint32_t c) { return answer(pool, c, masks); };
  if (const Views::Rank* first = view.first(ask)) contest.enter(view.head(first->child()), *first);
  for (const std::uint32_t c : view.depending()) {
    if (pools[c] == beside) continue;
    auto head = passed(pools[c], narrowed(masks, pools[c]));
    if (head && place(pools[c], *head)) contest.enter(c, head);
  }
  view.show_all();
  return contest.best;
}

}  // namespace weir
