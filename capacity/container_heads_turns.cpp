// What large tasks of a leaf wait for, and those behind them leave to them: else small ones that
// start where there is no room for a large one would keep the leaf at what it is allocated, and it
// is never short for that when a tracker reports that would do.
#include <algorithm>

#include "capacity/container_heads.h"
#include "jobqueue/policy/container_items.h"

namespace weir {

// Of what the queue is allocated the room that a task waits for is taken, for those behind it: else
// they would fill the queue elsewhere, and the tracker is kept no longer than that is short.
ContainerHeads::Waiting::Waiting(const ContainerHeads& heads, QueueId leaf)
    : space_(heads.state_.space()) {
  const bool any_keeps = heads.standing_.bounds().any_keeps();
  const ClusterState::ReserveTurn* turn = heads.state_.reserve_turn();
  if (const Job* job = turn == nullptr ? nullptr : heads.state_.find_job(turn->job)) {
    if (job->queue == leaf && !job->waits_for_gang(turn->kind)) add(heads, *job, turn->kind, true);
  }
  if (!any_keeps && heads.state_.reserved(leaf).all_zero()) return;
  for (const Reservation& kept : heads.state_.claims().reservations()) {
    if (kept.queue == leaf) add(heads, heads.state_.job(kept.job), kept.kind);
  }
  if (!any_keeps) return;
  for (const ClusterState::AmountWait& wait : heads.state_.amount_waits()) {
    const Job* job = heads.state_.find_job(wait.job);
    if (job != nullptr && job->queue == leaf && is_wanted(heads.state_, *job, wait.kind))
      add(heads, *job, wait.kind);
  }
}

void ContainerHeads::Waiting::add(const ContainerHeads& heads, const Job& job, TaskKind kind,
                                  bool has_turn) {
  const Resources& need = job.need(kind);
  const Amounts& run = heads.state_.queue(job.queue).running;
  const Amounts& allocated = heads.standing_.allocated(job.queue);
  if (!has_turn && !is_short(space_, run, need, allocated)) return;
  One& one = all_.emplace_back();
  one.item = {job_order(heads.state_, job), kind};
  for (const Dimension d : space_.dimensions()) {
    one.left[d] = need[d] > 0 ? allocated[d] - run[d] - need[d] : INT64_MAX;
    one.beyond[d] = need[d] > 0 ? run[d] - allocated[d] : INT64_MIN;
  }
}

bool ContainerHeads::Waiting::is_in_the_way(const ItemOrder& item, const Resources& need) const {
  return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
    const auto& dimensions = space_.dimensions();
    return one.item < item && one.item.job.id != item.job.id &&
           std::any_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > 0 && need[d] > one.left[d]; }) &&
           std::all_of(dimensions.begin(), dimensions.end(),
                       [&](Dimension d) { return need[d] > one.beyond[d]; });
  });
}

// --- What other leaves leave to it ---

ContainerHeads::Views::Rank ContainerHeads::rank_of(QueueId queue, const Resources& need) const {
  const int step = step_of(queue, need);
  return {.step = step, .key = key_of(queue, step), .child = place_[queue.index()]};
}

// A turn may come before its leaf is short; a reservation ends when that is not. What is above the
// queue does not matter: so all that this depends on marks the queue.
std::optional<ContainerHeads::Waiter> ContainerHeads::first_waiter(QueueId queue) const {
  const QueueTree& tree = state_.tree();
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (queue == QueueTree::root() || (turn == nullptr && state_.reserved(queue).all_zero()))
    return std::nullopt;
  std::optional<Waiter> first;
  const auto enter = [&](const Job* job, TaskKind kind, bool has_turn) {
    if (job == nullptr || !job->has(kind) || !tree.is_ancestor(queue, job->queue)) return;
    if (job->waits_for_gang(kind)) kind = job->gang_kind();
    const Resources& need = job->need(kind);
    bool is_short = standing_.is_short_here(queue, need);
    QueueId child = job->queue;
    for (;; child = tree.parent(child)) {
      is_short = is_short && (has_turn || standing_.is_short_here(child, need));
      if (tree.parent(child) == queue) break;
    }
    if (!is_short) return;
    const Views::Rank rank = rank_of(child, need);
    if (!first || rank < first->rank)
      first = Waiter{job->queue, {job_order(state_, *job), kind}, &need, rank};
  };
  if (turn != nullptr) enter(state_.find_job(turn->job), turn->kind, true);
  if (state_.reserved(queue).all_zero()) return first;
  for (const Reservation& kept : state_.claims().reservations())
    enter(state_.find_job(kept.job), kept.kind, false);
  return first;
}

bool ContainerHeads::ends_wait(QueueId queue, const Waiter& waiter, const Head& head) const {
  if (head.step == kClaim || head.size->gang || head.job == waiter.item.job.id) return false;
  const Space& space = state_.space();
  const Amounts with = plus(space, state_.queue(queue).running, head.size->need);
  if (is_short(space, with, *waiter.need, standing_.allocated(queue))) return false;
  const Job& job = state_.job(head.job);
  if (job.queue == waiter.leaf)
    return waiter.item < ItemOrder{job_order(state_, job), head.kind};
  // Which of them the queue above both would ask first.
  const QueueTree& tree = state_.tree();
  QueueId child = job.queue, first = waiter.leaf;
  while (!tree.is_ancestor(tree.parent(child), waiter.leaf)) child = tree.parent(child);
  while (tree.parent(first) != tree.parent(child)) first = tree.parent(first);
  return rank_of(first, *waiter.need) < rank_of(child, head.size->need);
}

// --- Whose turn it is ---

std::optional<Choice> ContainerHeads::turn_of_passed(const Head& head, const Reach& reach,
                                                     bool by_walking) {
  if (head.lacks_amount || head.waits || head.size->gang || head.step == kClaim)
    return std::nullopt;
  const Job& first = state_.job(head.job);
  const ItemOrder order{job_order(state_, first), head.kind};
  const QueueId leaf = first.queue;
  std::optional<Choice> turn;
  standing_.items(leaf).visit(
      [&](const Bucket& bucket) {
        if (!(*bucket.items.begin() < order)) return true;  // there it ends
        const Resources& need = bucket.size->need;
        return !bucket.size->gang &&
               !state_.fits_in(need, reach.tracker, reach.used) &&
               standing_.keeps_from_being_short(leaf, head.size->need, need) &&
               !users_.over_limit(leaf, bucket.user, need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        if (!(item < order)) return true;
        const Job& job = state_.job(item.job.id);
        const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
        if (users_.over_limit(leaf, job.user, bucket.size->need, others)) return false;
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
      QueueId its = state_.job(before->job).queue;
      while (tree.parent(its) != q) its = tree.parent(its);
      if (rank_of(its, before->size->need) < rank_of(child, other)) turn = turn_of(*before, reach);
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
  const Waiting waiting(*this, leaf);
  std::optional<Head> found;
  standing_.items(leaf).visit(
      [&](const Bucket& bucket) {
        const Resources& need = bucket.size->need;
        return is_passed(*bucket.size) && standing_.is_short_here(leaf, need) &&
               !waiting.is_in_the_way(*bucket.items.begin(), need) &&
               !users_.over_limit(leaf, bucket.user, need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        const Job& job = state_.job(item.job.id);
        const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
        if (users_.over_limit(leaf, job.user, bucket.size->need, others)) return false;
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
  std::uint32_t child = 0;
  const Head* first = contest.view->first(child, [&](std::uint32_t c) {
    return answer(children[c], narrowed(masks, children[c]));
  });
  if (first != nullptr) contest.enter(child, *first);
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
