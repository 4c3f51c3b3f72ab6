// What those keep who do not lend their guarantees (containers.md, section 7), as amounts of the
// whole cluster: of all that is free a task may take what is left beside what others keep and do
// not run, and beside the room that kills have made for others. A plan goes on from it: what it
// gives to one is nobody else's. A look at the state, on the engine's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_bounds.h"

namespace weir {

class KeptAmounts {
 public:
  // A queue, or a pool. By place; at 0 is the whole cluster, which keeps nothing.
  struct Keeper {
    std::size_t above = 0;
    Amounts keep, running;
  };
  // A leaf of 0: the job is nowhere.
  using LeafOf = std::function<std::size_t(const Job&)>;
  // `children_first`: the places of all but the whole.
  KeptAmounts(const ClusterState& state, std::vector<Keeper> keepers,
              const std::vector<std::size_t>& children_first, LeafOf leaf_of);

  std::size_t leaf_of(const Job& job) const { return leaf_of_(job); }
  // OFF: of what others than the leaf keep, what they do not run; and what is held for them.
  Amounts for_others(std::size_t leaf) const;
  // The same once so much more runs in `in`.
  Amounts for_others(std::size_t leaf, std::size_t in, const Resources& more) const;
  // In the whole cluster, whoever keeps it.
  std::int64_t free(Dimension d) const {
    return state_->total()[d] - state_->held()[d] - planned_[d];
  }
  // What a task of the leaf may take; less than nothing: others keep more than there is.
  Amounts left_for(std::size_t leaf) const;
  // How many tasks of the leaf, up to `tasks`.
  std::int64_t leaves(std::size_t leaf, const Resources& need, std::int64_t tasks) const;
  bool leaves(std::size_t leaf, const Resources& need) const { return leaves(leaf, need, 1) == 1; }
  // It would be left if nothing ran.
  bool could_leave(std::size_t leaf, const Resources& need) const;

  // For a plan to go on from: what is held for claimants is as good as run by them.
  KeptAmounts planned() const;
  // So much that is free is the leaf's from now on, or nobody's any more (a leaf of 0).
  void take(std::size_t leaf, const Resources& need, std::int64_t tasks = 1);
  // So much of what the leaf runs is to die; of a leaf of 0: dies on its own account.
  void give(std::size_t leaf, const Resources& gone);

 private:
  struct Idle {
    std::vector<Amounts> of, below;  // of each, and of those directly below it together
  };
  Idle add_up(const std::vector<std::size_t>& children_first, bool empty) const;
  Amounts beside(const Idle& idle, std::size_t leaf) const;
  bool is_above(std::size_t above, std::size_t leaf) const;
  void run(std::size_t leaf, const Amounts& more);
  std::size_t leaf_of_hold(const Hold& hold) const;
  const std::vector<Dimension>& dimensions() const { return state_->space().dimensions(); }

  const ClusterState* state_;
  std::vector<Keeper> keepers_;
  LeafOf leaf_of_;
  Idle now_, empty_;
  std::vector<Amounts> held_;  // by leaf; empty: nothing is
  Amounts held_in_all_;
  Amounts planned_;  // of what is free
};

}  // namespace weir
