// What of the cluster's room is not for everybody, as an amount: what is kept (kept_amounts.h), and
// beside it what large tasks wait for, which small ones would use up for ever: those that have
// trackers reserved, and those that would start but for what is kept (amount waits). A look of one
// search at the state, on the engine's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/kept_amounts.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class KeptRoom {
 public:
  // Whether the shares, maximums and limits on the way let a task of the job wait for room.
  using Stands = std::function<bool(const Job&, TaskKind)>;
  // Whether tasks of the first job come before those of the other one, whatever runs: they do not
  // wait for these.
  using ComesBefore = std::function<bool(const Job&, const Job&)>;
  KeptRoom(KeptAmounts amounts, const ClusterState& state, Stands stands,
           ComesBefore comes_before);

  const KeptAmounts& amounts() const { return amounts_; }
  std::size_t leaf_of(const Job& job) const { return amounts_.leaf_of(job); }
  Amounts for_others(std::size_t leaf) const { return amounts_.for_others(leaf); }
  bool leaves(std::size_t leaf, const Resources& need) const { return amounts_.leaves(leaf, need); }
  bool could_leave(std::size_t leaf, const Resources& need) const {
    return amounts_.could_leave(leaf, need);
  }

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
  void wait(JobId job, TaskKind kind, TrackerId tracker);

  const ClusterState& state_;
  const KeptAmounts amounts_;
  const Stands stands_;
  const ComesBefore comes_before_;
  std::vector<Waiting> waiting_;  // reservations, then who waits for an amount, in their order
  std::vector<JobId> no_more_;
};

// Null where nobody keeps anything.
inline bool leaves(const KeptRoom* kept, std::size_t leaf, const Resources& need) {
  return kept == nullptr || kept->leaves(leaf, need);
}

}  // namespace weir
