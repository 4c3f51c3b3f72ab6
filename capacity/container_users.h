// How much of a leaf its users may have, where containers count (containers.md 4.6): their limits
// in each dimension by itself; one of them is enough to stop a task. Questions over the state and
// the shares, on the engine's thread.
#pragma once

#include <optional>

#include "capacity/container_standing.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_items.h"

namespace weir {

// --- What hard limits leave of what users want: by what the leaf is guaranteed and runs, as what
// --- it is allocated follows from it
bool has_hard_limit(const ClusterState& state, QueueId leaf);
// How many more such tasks the user may have, beside what he runs and `taken`.
std::int64_t tasks_within_limit(const ClusterState& state, QueueId leaf, const Amounts& guaranteed,
                                UserId user, const Resources& task, const Amounts& taken);
// PEND: of each user as many of his tasks as he may have, large ones first.
Amounts pending_within_limits(const ClusterState& state, QueueId leaf, const Amounts& guaranteed,
                              const ContainerItems& items);

class ContainerUsers {
 public:
  ContainerUsers(const ClusterState& state, const ContainerStanding& standing)
      : state_(state), standing_(standing) {}

  // With one more such task, in any dimension of which it takes something. `reserved`: by others
  // of the user.
  bool over_limit(QueueId leaf, UserId user, const Resources& task,
                  const Amounts& reserved = {}) const;
  // The dimension in which that is so.
  struct Over {
    Dimension dimension;
    std::int64_t has = 0, allowed = 0;
  };
  std::optional<Over> where_over(QueueId leaf, UserId user, const Resources& task,
                                 const Amounts& reserved = {}) const;
  bool above_limit(QueueId leaf, UserId user) const;
  // The job's gang is within all shares on its way, and no hard limit of its user forbids it.
  bool gang_within(const Job& job) const;
  // Up to where a user may go, whatever his next task takes; -1: nobody is there, or is limited.
  std::int64_t limit_shown(QueueId queue, Dimension d) const;
  // What other jobs of the user have reserved in the leaf.
  Amounts reserved_by_others(QueueId leaf, UserId user, JobId job) const;

 private:
  struct Part {
    std::int64_t has = 0, allowed = 0;
  };
  bool limited(QueueId leaf) const;
  bool has_enough(QueueId leaf, Dimension d, std::int64_t has, std::int64_t need) const;
  // `user`: null runs nothing there.
  Part part(QueueId leaf, const UserInQueue* user, Dimension d, std::int64_t need) const;

  const ClusterState& state_;
  const ContainerStanding& standing_;
};

}  // namespace weir
