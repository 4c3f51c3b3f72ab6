// What heads follow, and what a tracker is for tasks of each size.
#include <algorithm>
#include <map>

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
      rank_reservers(queue);
    }
    read_steps(queue);
    mark(queue);
  }
  for (const QueueId leaf : reservers_changed_) read_reservers(leaf);
  reservers_changed_.clear();
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
    if (q != leaf) read_steps(q);
    if (q == QueueTree::root()) return;
    q = state_.tree().parent(q);
    sizes = picky = 0;
    for (const QueueId child : state_.tree().node(q).children) {
      sizes |= sizes_[child.index()];
      picky |= picky_[child.index()];
    }
  }
}

// How the queue stands with one more task of each size that it could start.
void ContainerHeads::read_steps(QueueId queue) {
  Steps& with = steps_[queue.index()] = {};
  each_size(sizes_[queue.index()] & ~kFurtherSizes, [&](std::size_t number) {
    const Resources& need = size_of_[number]->need;
    const std::uint64_t mask = std::uint64_t{1} << number;
    const int step = standing_.step_of(queue, need);
    if (step == kWithinGuarantee) with.guaranteed |= mask;
    if (step == kWithinAllocation) with.allocated |= mask;
    if (standing_.is_short_here(queue, need)) with.is_short |= mask;
  });
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
  const std::uint64_t is_short = steps_[q].is_short;
  return {.starts = masks.starts & sizes_[q],
          .reserves = masks.reserves & sizes_[q] & is_short,
          .picky = masks.picky & picky_[q] & is_short,
          .elsewhere = bounded_within_[q] ? masks.elsewhere & sizes_[q] : 0};
}

}  // namespace weir
