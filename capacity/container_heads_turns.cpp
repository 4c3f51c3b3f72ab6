// Who has the next turn to reserve: a large task that smaller ones pass, which take what its queues
// are short of (container_waiters.h tells what they leave to it from then on).
#include <algorithm>

#include "capacity/container_contest.h"
#include "capacity/container_heads.h"
#include "jobqueue/policy/container_items.h"

namespace weir {

std::optional<Choice> ContainerHeads::turn_of_passed(const Head& head, const Reach& reach,
                                                     bool by_walking) {
  if (head.lacks_amount || head.waits || head.size->gang || head.step == kClaim)
    return std::nullopt;
  const Job& first = state_.job(head.job);
  const ItemOrder order{job_order(state_, first), head.kind};
  const QueueId leaf = first.queue;
  const ContainerUsers::InLeaf users(users_, leaf);
  std::optional<Choice> turn;
  standing_.items(leaf).visit(
      [&](const Bucket& bucket) {
        if (!(*bucket.items.begin() < order)) return true;  // there it ends
        const Resources& need = bucket.size->need;
        return !bucket.size->gang &&
               !state_.fits_in(need, reach.tracker, reach.used) &&
               standing_.keeps_from_being_short(leaf, head.size->need, need) &&
               !users.over_limit(bucket.user, need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        if (!(item < order)) return true;
        const Job& job = state_.job(item.job.id);
        const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
        if (users.over_limit(job.user, bucket.size->need, &others)) return false;
        turn = turn_of({.job = job.id, .kind = item.kind, .size = bucket.size}, reach);
        return turn.has_value();
      });
  const QueueTree& tree = state_.tree();
  QueueId child = leaf;
  for (QueueId q = tree.parent(leaf); !turn && q != QueueTree::root(); q = tree.parent(q)) {
    const Resources& other = head.size->need;
    const auto is_passed = [&](const Size& size) {
      return !size.gang && !state_.fits_in(size.need, reach.tracker, reach.used) &&
             standing_.short_on_the_way(q, size.need) &&
             standing_.ends_being_short(q, other, size.need);
    };
    std::optional<Head> before;
    if (by_walking) {
      before = walked_passed(q, is_passed, child);
    } else {
      std::uint64_t sizes = 0;
      each_size(sizes_[q.index()] & ~kFurtherSizes, [&](std::size_t number) {
        if (is_passed(*size_of_[number])) sizes |= std::uint64_t{1} << number;
      });
      if (sizes != 0) before = passed(q, {.reserves = sizes, .picky = sizes}, child);
    }
    if (before) {
      const QueueId its = waiters_.child_towards(q, state_.job(before->job).queue);
      if (waiters_.comes_before(its, before->size->need, child, other))
        turn = turn_of(*before, reach);
    }
    child = q;
  }
  return turn;
}

std::optional<Choice> ContainerHeads::turn_of(const Head& passed, const Reach& reach) const {
  const Job& job = state_.job(passed.job);
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!standing_.short_of_maximum(q, passed.size->need)) return std::nullopt;
  }
  if (!reach.reserve->has_turn_elsewhere(job, passed.kind)) return std::nullopt;
  return weir::turn_of(job.id, passed.kind);
}

std::optional<ContainerHeads::Head> ContainerHeads::passed_in_leaf(
    QueueId leaf, const IsPassed& is_passed) const {
  const ContainerWaiters::InLeaf waiting(waiters_, leaf);
  const ContainerUsers::InLeaf users(users_, leaf);
  std::optional<Head> found;
  standing_.items(leaf).visit(
      [&](const Bucket& bucket) {
        const Resources& need = bucket.size->need;
        return is_passed(*bucket.size) && standing_.is_short_here(leaf, need) &&
               !waiting.is_in_the_way(*bucket.items.begin(), need) &&
               !users.over_limit(bucket.user, need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        const Job& job = state_.job(item.job.id);
        const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
        if (users.over_limit(job.user, bucket.size->need, &others)) return false;
        if (waiting.is_in_the_way(item, bucket.size->need)) return false;
        if (reservation_of(state_, job.id) != nullptr) return false;
        found = Head{.job = job.id, .kind = item.kind, .size = bucket.size, .reserves = true};
        return true;
      });
  return found;
}

std::optional<ContainerHeads::Head> ContainerHeads::walked_passed(QueueId queue,
                                                                  const IsPassed& is_passed,
                                                                  QueueId beside) const {
  if (state_.tree().leaf(queue)) return passed_in_leaf(queue, is_passed);
  Contest contest{state_.tree().node(queue).children};
  for (const QueueId child : contest.children) {
    if (child == beside) continue;
    auto head = walked_passed(child, [&](const Size& size) {
      return is_passed(size) && standing_.is_short_here(child, size.need);
    });
    if (head && place(child, *head)) contest.enter(place_[child.index()], head);
  }
  return contest.best;
}

// The same by the orders that are kept.
std::optional<ContainerHeads::Head> ContainerHeads::passed(QueueId queue, const SizeMasks& masks,
                                                           QueueId beside) {
  if (state_.tree().leaf(queue)) {
    return passed_in_leaf(
        queue, [&](const Size& size) { return (mask_of(size) & masks.reserves) != 0; });
  }
  const auto& children = state_.tree().node(queue).children;
  Contest contest{children, &view_of(queue, masks)};
  if (beside.valid()) contest.view->hide(place_[beside.index()]);
  const Views::Rank* first = contest.view->first([&](std::uint32_t c) {
    return answer(children[c], narrowed(masks, children[c]));
  });
  if (first != nullptr) contest.enter(contest.view->head(first->child()), *first);
  for (const std::uint32_t c : contest.view->depending()) {
    const SizeMasks here = narrowed(masks, children[c]);
    const auto rank = at_best(children[c], here);
    if (children[c] == beside || !rank || !contest.is_won_by(*rank)) continue;
    auto head = passed(children[c], here);
    if (head && place(children[c], *head)) contest.enter(c, head);
  }
  contest.view->show_all();
  return contest.best;
}

}  // namespace weir
