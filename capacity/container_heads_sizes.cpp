// What heads follow, and what a tracker is for tasks of each size.
#include <algorithm>
#include <map>
#include <utility>

#include "capacity/container_claims.h"
#include "capacity/container_heads.h"

namespace weir {

// --- What has changed ---

void ContainerHeads::mark(QueueId queue) {
  for (QueueId q = queue; q != QueueTree::root(); q = state_.tree().parent(q))
    views_.mark(state_.tree().parent(q).index(), place_[q.index()]);
}

void ContainerHeads::follow() {
  standing_.take_changed(changed_);
  for (const QueueId queue : changed_) {
    keys_[queue.index()] = {standing_.key_of(queue, kWithinGuarantee),
                            standing_.key_of(queue, kWithinAllocation)};
    if (state_.tree().leaf(queue)) {
      read_sizes(queue);
      read_owed(queue);
    }
    mark(queue);
  }
  if (state_.claims().version() == claims_seen_) return;
  claims_seen_ = state_.claims().version();
  follow_claims();
}

void ContainerHeads::follow_claims() {
  const QueueTree& tree = state_.tree();
  std::map<QueueId, std::optional<TimeMs>> before;
  for (const QueueId leaf : claimants_) {
    before.emplace(leaf, claimed_[leaf.index()]);
    for (QueueId q = leaf; q.valid(); q = tree.parent(q)) claimed_[q.index()].reset();
  }
  claimants_.clear();
  for (const Dimension d : state_.space().dimensions()) {
    for (const auto& [deadline, leaf, id] : state_.claims().by_deadline(d)) {
      if (!claimed_[leaf.index()]) claimants_.push_back(leaf);
      for (QueueId q = leaf; q.valid(); q = tree.parent(q))
        claimed_[q.index()] = std::min(claimed_[q.index()].value_or(deadline), deadline);
    }
  }
  for (const QueueId leaf : claimants_) before.emplace(leaf, std::nullopt);
  for (const auto& [leaf, deadline] : before) {
    if (claimed_[leaf.index()] == deadline) continue;
    read_owed(leaf);
    mark(leaf);
  }
}

void ContainerHeads::read_sizes(QueueId leaf) {
  std::uint64_t sizes = 0, picky = 0;
  for (const Bucket& bucket : standing_.items(leaf).buckets()) {
    if (bucket.items.empty()) continue;
    const std::uint64_t mask = mask_of(*bucket.size);
    sizes |= mask;
    if (bucket.picky) picky |= mask;
    if (mask != kFurtherSizes) size_of_[bucket.size->number] = bucket.size;
  }
  for (QueueId q = leaf; sizes != sizes_[q.index()] || picky != picky_[q.index()];) {
    sizes_[q.index()] = sizes;
    picky_[q.index()] = picky;
    if (q == QueueTree::root()) return;
    q = state_.tree().parent(q);
    sizes = picky = 0;
    for (const QueueId child : state_.tree().node(q).children) {
      sizes |= sizes_[child.index()];
      picky |= picky_[child.index()];
    }
  }
}

// Of the first that it is owed: few have more.
void ContainerHeads::read_owed(QueueId leaf) {
  std::uint64_t& owed = owed_[leaf.index()];
  owed = 0;
  if (!claimed_[leaf.index()]) return;
  int items = 0;
  each_owed(state_, standing_.items(leaf), leaf, standing_.guaranteed(leaf),
            [&](const OwedItem& item) {
              owed |= ++items == 5 ? ~std::uint64_t{0} : mask_of(*item.size);
              return items == 5;
            });
}

// --- What the tracker is for which sizes ---

const SizeMasks& ContainerHeads::masks_of(const Reach& reach) {
  const std::size_t all = QueueTree::root().index();
  here_ = sizes_here(state_, reach.tracker, reach.used, reach.reserve, {sizes_[all], picky_[all]},
                     size_of_, bounded_within_[all]);
  return here_.masks;
}

bool ContainerHeads::any_might_have_turn(const ReserveHere& reserve) const {
  const std::size_t all = QueueTree::root().index();
  bool might = standing_.bounds().any_keeps() || picky_[all] != 0 ||
               (sizes_[all] & kFurtherSizes) != 0;
  each_size(here_.could_reserve, [&](std::size_t number) {
    might = might || reserve.may_have_turn(size_of_[number]->need);
  });
  return might;
}

// What of it matters to a child; it may reserve only while it is short.
SizeMasks ContainerHeads::narrowed(const SizeMasks& masks, QueueId child) const {
  const std::size_t q = child.index();
  SizeMasks out = {.starts = masks.starts & sizes_[q],
                   .reserves = masks.reserves & sizes_[q],
                   .picky = masks.picky & picky_[q],
                   .elsewhere = bounded_within_[q] ? masks.elsewhere & sizes_[q] : 0};
  each_size(out.reserves | out.picky, [&](std::size_t number) {
    if (standing_.is_short_here(child, size_of_[number]->need)) return;
    out.reserves &= ~(std::uint64_t{1} << number);
    out.picky &= ~(std::uint64_t{1} << number);
  });
  return out;
}

// Jobs that would move their reservations here: whether they come before others of their leaves is
// asked there.
void ContainerHeads::note_movers(const Reach& reach) {
  moving_.clear();
  movers_.clear();
  ++offers_;
  if (reach.reserve == nullptr || reach.tracker.keeps > 0) return;
  if (std::exchange(reservations_changed_, false)) reserved_ = reservers(state_);
  for (const Reserver& kept : reserved_) {
    if (!would_move_here(kept, here_, *reach.reserve)) continue;
    movers_.push_back(kept);
    moving_at_[kept.leaf.index()] = offers_;
    for (QueueId q = state_.tree().parent(kept.leaf);
         q != QueueTree::root() && moving_at_[q.index()] != offers_; q = state_.tree().parent(q)) {
      moving_at_[q.index()] = offers_;
      moving_.push_back(q);
    }
  }
}

}  // namespace weir
