#include "jobqueue/policy/kept_amounts.h"

#include <algorithm>
#include <utility>

namespace weir {

KeptAmounts::KeptAmounts(const ClusterState& state, std::vector<Keeper> keepers,
                         const std::vector<std::size_t>& children_first, LeafOf leaf_of)
    : state_(&state),
      keepers_(std::move(keepers)),
      leaf_of_(std::move(leaf_of)),
      now_(add_up(children_first, false)),
      empty_(add_up(children_first, true)) {
  for (const Hold& hold : state.claims().holds()) {
    if (held_.empty()) held_.resize(keepers_.size());
    Amounts& of_leaf = held_[leaf_of_hold(hold)];
    const Resources room = hold.kept_room();
    for (const Dimension d : dimensions()) {
      of_leaf[d] += room[d];
      held_in_all_[d] += room[d];
    }
  }
}

std::size_t KeptAmounts::leaf_of_hold(const Hold& hold) const {
  const Job* job = state_->find_job(hold.job);
  return job == nullptr ? 0 : leaf_of_(*job);
}

KeptAmounts::Idle KeptAmounts::add_up(const std::vector<std::size_t>& children_first,
                                      bool empty) const {
  Idle idle{std::vector<Amounts>(keepers_.size()), std::vector<Amounts>(keepers_.size())};
  for (const std::size_t place : children_first) {
    const Keeper& keeper = keepers_[place];
    for (const Dimension d : dimensions()) {
      const std::int64_t run = empty ? 0 : keeper.running[d];
      idle.of[place][d] = std::max(idle.below[place][d], keeper.keep[d] - run);
      idle.below[keeper.above][d] += idle.of[place][d];
    }
  }
  return idle;
}

Amounts KeptAmounts::beside(const Idle& idle, std::size_t leaf) const {
  Amounts kept;
  for (std::size_t at = leaf; at != 0; at = keepers_[at].above) {
    for (const Dimension d : dimensions())
      kept[d] += idle.below[keepers_[at].above][d] - idle.of[at][d];
  }
  return kept;
}

Amounts KeptAmounts::for_others(std::size_t leaf) const {
  Amounts kept = beside(now_, leaf);
  if (held_.empty()) return kept;
  for (const Dimension d : dimensions()) kept[d] += held_in_all_[d] - held_[leaf][d];
  return kept;
}

bool KeptAmounts::is_above(std::size_t above, std::size_t leaf) const {
  while (leaf != above && leaf != 0) leaf = keepers_[leaf].above;
  return leaf == above;
}

Amounts KeptAmounts::for_others(std::size_t leaf, std::size_t in, const Resources& more) const {
  Amounts kept = for_others(leaf);
  if (leaf == in) return kept;
  Amounts below = now_.below[in], idle;
  for (std::size_t at = in;; at = keepers_[at].above) {
    for (const Dimension d : dimensions())
      idle[d] = std::max(below[d], keepers_[at].keep[d] - keepers_[at].running[d] - more[d]);
    const std::size_t above = keepers_[at].above;
    if (is_above(above, leaf)) {  // it is beside the leaf, or beside one above it
      for (const Dimension d : dimensions()) kept[d] += idle[d] - now_.of[at][d];
      return kept;
    }
    below = now_.below[above];
    for (const Dimension d : dimensions()) below[d] += idle[d] - now_.of[at][d];
  }
}

Amounts KeptAmounts::left_for(std::size_t leaf) const {
  Amounts left = for_others(leaf);
  for (const Dimension d : dimensions()) left[d] = free(d) - left[d];
  return left;
}

std::int64_t KeptAmounts::leaves(std::size_t leaf, const Resources& need,
                                 std::int64_t tasks) const {
  const Amounts left = left_for(leaf);
  for (const Dimension d : dimensions()) {
    if (need[d] > 0) tasks = std::min(tasks, std::max<std::int64_t>(0, left[d]) / need[d]);
  }
  return tasks;
}

bool KeptAmounts::could_leave(std::size_t leaf, const Resources& need) const {
  const Amounts kept = beside(empty_, leaf);
  return std::all_of(dimensions().begin(), dimensions().end(), [&](Dimension d) {
    return need[d] == 0 || state_->total()[d] - need[d] >= kept[d];
  });
}

// --- For a plan ---

void KeptAmounts::run(std::size_t leaf, const Amounts& more) {
  for (std::size_t at = leaf; at != 0; at = keepers_[at].above) {
    Keeper& keeper = keepers_[at];
    for (const Dimension d : dimensions()) {
      keeper.running[d] += more[d];
      const std::int64_t idle =
          std::max(now_.below[at][d], keeper.keep[d] - keeper.running[d]);
      now_.below[keeper.above][d] += idle - now_.of[at][d];
      now_.of[at][d] = idle;
    }
  }
}

KeptAmounts KeptAmounts::planned() const {
  KeptAmounts plan = *this;
  for (const Hold& hold : state_->claims().holds()) {
    plan.run(leaf_of_hold(hold), hold.need);
    const Resources room = hold.kept_room();
    for (const Dimension d : dimensions()) plan.planned_[d] += room[d];
  }
  plan.held_.clear();
  plan.held_in_all_ = {};
  return plan;
}

void KeptAmounts::take(std::size_t leaf, const Resources& need, std::int64_t tasks) {
  Amounts more;
  for (const Dimension d : dimensions()) {
    more[d] = tasks * need[d];
    planned_[d] += more[d];
  }
  run(leaf, more);
}

void KeptAmounts::give(std::size_t leaf, const Resources& gone) {
  take(leaf, gone, -1);
}

}  // namespace weir
