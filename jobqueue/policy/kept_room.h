// How much of the cluster's room is not for everybody, as an amount: what those keep who do not
// lend their guarantees (containers.md, section 7), and beside it what large tasks wait for, which
// small ones would use up for ever: those that have trackers reserved, and those that would start
// but for what is kept (amount waits). A look of one search at the state, on the engine's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_bounds.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class KeptRoom {
 public:
  // A queue, or a pool. By place; at 0 is the whole cluster, which keeps nothing.
  struct Keeper {
    std::size_t above = 0;
    Amounts keep, running;
  };
  using LeafOf = std::function<std::size_t(const Job&)>;
  // Whether the shares, maximums and limits on the way let a task of the job wait for room.
  using Stands = std::function<bool(const Job&, TaskKind)>;
  // `children_first`: the places of all but the whole. A leaf of 0: the job is nowhere.
  KeptRoom(const ClusterState& state, std::vector<Keeper> keepers,
           const std::vector<std::size_t>& children_first, LeafOf leaf_of, Stands stands);

  std::size_t leaf_of(const Job& job) const { return leaf_of_(job); }
  // OFF: of what others than the leaf keep, what they do not run.
  Amounts for_others(std::size_t leaf) const { return beside(now_, leaf); }
  // As much is free in the whole cluster beside a task of the leaf.
  bool leaves(std::size_t leaf, const Resources& need) const;
  // It would be if nothing ran.
  bool could_leave(std::size_t leaf, const Resources& need) const;

  struct Waiting {
    JobId job;
    TrackerId tracker;  // that it has reserved; invalid: it waits for the amount alone
    const Resources* need;
    std::size_t leaf;
    Amounts kept;
  };
  // The larger task that came before and would be left less than it needs; null: there is none.
  // `aside`: whose does not matter.
  const Waiting* in_the_way(std::size_t leaf, const Resources& need, JobId job,
                            JobId aside = {}) const;
  // Whether nobody is in the way of a task so large of one of the leaf's jobs: of any that waits
  // for nothing, or of those that do.
  bool lets(std::size_t leaf, const Resources& need, JobId aside) const {
    return leaves(leaf, need) && in_the_way(leaf, need, JobId{}, aside) == nullptr;
  }
  bool lets_who_waits(std::size_t leaf, JobId aside) const;
  // Whether a task of the leaf might begin to wait.
  bool may_begin(std::size_t leaf) const;
  // For a task of the job that lacks nothing but what others keep, to begin to wait for it, if it
  // may: of a leaf one does, but for that of a gang that gives way.
  std::optional<Choice> choice_to_wait(const Job& job, TaskKind kind, JobId gives_way = {}) const;
  // Who waits for nothing more, or would fit no tracker; looks at all of them.
  std::vector<JobId> no_more() const;

 private:
  struct Idle {
    std::vector<Amounts> of, below;  // of each, and of those directly below it together
  };
  void wait(JobId job, TaskKind kind, TrackerId tracker);
  Idle add_up(const std::vector<std::size_t>& children_first, bool empty) const;
  Amounts beside(const Idle& idle, std::size_t leaf) const;
  // OFF beside `leaf` once so much more runs in `in`.
  Amounts beside(std::size_t leaf, std::size_t in, const Resources& more) const;
  bool is_above(std::size_t above, std::size_t leaf) const;
  std::int64_t free(Dimension d) const { return state_.total()[d] - state_.held()[d]; }

  const ClusterState& state_;
  const std::vector<Keeper> keepers_;
  const LeafOf leaf_of_;
  const Stands stands_;
  Idle now_, empty_;
  std::vector<Waiting> waiting_;  // reservations, then who waits for an amount, in their order
  std::vector<JobId> no_more_;
};

// Null where nobody keeps anything.
inline bool leaves(const KeptRoom* kept, std::size_t leaf, const Resources& need) {
  return kept == nullptr || kept->leaves(leaf, need);
}

}  // namespace weir
