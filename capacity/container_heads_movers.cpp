// Jobs that have trackers reserved and would move to the one on offer: asked for as far as they
// could come first, since most of them would not.
#include <algorithm>

#include "capacity/container_contest.h"
#include "capacity/container_heads.h"

namespace weir {

void ContainerHeads::read_reservers(QueueId leaf) {
  std::vector<Mover>& all = reservers_[leaf.index()];
  all.clear();
  state_.claims().reservations().each_in(leaf, [&](const Reservation& kept) {
    all.emplace_back(reserver_of(state_, kept));
  });
  const bool is_deep = state_.tree().parent(leaf) != QueueTree::root();
  std::erase(reserving_, leaf);
  std::erase(reserving_deep_, leaf);
  if (!all.empty()) {
    reserving_.push_back(leaf);
    if (is_deep) reserving_deep_.push_back(leaf);
  }
  if (!is_deep) reservers_order_.set(place_[leaf.index()], rank_of_reservers(leaf));
}

// Where the leaf would come with that of them which brings it furthest forward.
std::optional<ContainerHeads::Views::Rank> ContainerHeads::rank_of_reservers(
    QueueId leaf) const {
  std::optional<int> best;
  for (const Mover& kept : reservers_[leaf.index()]) {
    const int step = standing_.step_of(leaf, kept.size->need);
    best = std::min(best.value_or(step), step);
  }
  if (!best) return std::nullopt;
  return Views::Rank{*best, keys_[leaf.index()].of(*best), place_[leaf.index()]};
}

void ContainerHeads::rank_reservers(QueueId leaf) {
  if (reservers_[leaf.index()].empty() || state_.tree().parent(leaf) != QueueTree::root()) return;
  reservers_order_.set(place_[leaf.index()], rank_of_reservers(leaf));
}

void ContainerHeads::note_offer(const Reach& reach) {
  moving_.clear();
  ++offers_;
  may_move_ = reach.reserve != nullptr && reach.tracker.keeps == 0 && !reserving_.empty();
  if (!may_move_) return;
  for (const QueueId leaf : reserving_deep_) {
    if (!has_movers(leaf, reach)) continue;
    for (QueueId q = state_.tree().parent(leaf);
         q != QueueTree::root() && moving_at_[q.index()] != offers_; q = state_.tree().parent(q)) {
      moving_at_[q.index()] = offers_;
      moving_.push_back(q);
    }
  }
}

bool ContainerHeads::moves(Mover& kept, const Reach& reach) {
  if (kept.asked_at != offers_) {
    kept.asked_at = offers_;
    kept.would_move = would_move_here(kept, here_, *reach.reserve);
  }
  return kept.would_move;
}

bool ContainerHeads::has_movers(QueueId child, const Reach& reach) {
  if (!may_move_) return false;
  if (!state_.tree().leaf(child)) return moving_at_[child.index()] == offers_;
  auto& all = reservers_[child.index()];
  return std::any_of(all.begin(), all.end(), [&](Mover& kept) { return moves(kept, reach); });
}

// Queues where jobs would move their reservations here, and that have not been asked for it.
void ContainerHeads::ask_movers(QueueId queue, const SizeMasks& masks, const Reach& reach,
                                Contest& contest) {
  if (!may_move_) return;
  const auto& children = contest.children;
  for (const QueueId q : moving_) {
    if (state_.tree().parent(q) == queue && answered_at_[q.index()] != offers_)
      contest.enter(place_[q.index()], ask(q, std::nullopt, masks, reach));
  }
  const auto ask_leaf = [&](QueueId leaf) {
    if (answered_at_[leaf.index()] == offers_ || !has_movers(leaf, reach)) return;
    const std::uint32_t child = place_[leaf.index()];
    std::optional<Head> kept;
    if (contest.view != nullptr) {
      kept = contest.view->known(child, [&](std::uint32_t c) {
        return answer(children[c], narrowed(masks, children[c]));
      });
    }
    contest.enter(child, ask(leaf, kept, masks, reach));
  };
  if (queue == QueueTree::root() && contest.best) {
    reservers_order_.visit([&](const Views::Rank& rank) {
      if (!contest.is_won_by(rank)) return true;  // nor by those behind it
      ask_leaf(children[rank.child()]);
      return false;
    });
    return;
  }
  for (const QueueId leaf : queue == QueueTree::root() ? reserving_ : reserving_deep_) {
    if (state_.tree().parent(leaf) != queue || !has_movers(leaf, reach)) continue;
    const auto rank = rank_of_reservers(leaf);
    if (rank && contest.is_won_by(*rank)) ask_leaf(leaf);
  }
}

// The leaf's head where some would move their reservations to the tracker, `kept` being what it is
// without them. Who is over his limit comes after all who are not.
ContainerHeads::Head ContainerHeads::with_movers(QueueId leaf, const Head& kept,
                                                 const Reach& reach) {
  if (kept.step == kClaim) return kept;
  const auto order_of = [&](JobId job, TaskKind kind) {
    return ItemOrder{job_order(state_, state_.job(job)), kind};
  };
  Head head = kept;
  std::optional<ItemOrder> first;
  if (!kept.over_limit) first = order_of(kept.job, kept.kind);
  std::optional<ContainerWaiters::InLeaf> waiting;
  for (Mover& mover : reservers_[leaf.index()]) {
    if (!moves(mover, reach)) continue;
    const ItemOrder order = order_of(mover.job, mover.kind);
    if (first && !(order < *first)) continue;
    const Resources& need = mover.size->need;
    if (!waiting) waiting.emplace(waiters_, leaf);
    if (waiting->is_in_the_way(order, need)) continue;
    const Job& job = state_.job(mover.job);
    const Amounts others = users_.reserved_by_others(leaf, job.user, job.id);
    if (users_.over_limit(leaf, job.user, need, &others)) continue;
    if (!standing_.short_on_the_way(leaf, need) || !reach.reserve->task(job, mover.kind)) continue;
    first = order;
    head = Head{.job = job.id, .kind = mover.kind, .size = mover.size, .reserves = true};
  }
  return head;
}

}  // namespace weir
