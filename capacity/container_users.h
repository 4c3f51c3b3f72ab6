// How much of a leaf its users may have, where containers count (containers.md 4.6): their limits
// in each dimension by itself; one of them is enough to stop a task. Questions over the state and
// the shares, on the engine's thread.
#pragma once

#include <boost/container/static_vector.hpp>
#include <optional>

#include "capacity/container_standing.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_items.h"
#include "jobqueue/policy/user_limit.h"

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

  // The dimension in which one more task is too much.
  struct Over {
    Dimension dimension;
    std::int64_t has = 0, allowed = 0;
  };
  // Many questions about one leaf, for as long as nothing changes.
  class InLeaf {
   public:
    InLeaf(const ContainerUsers& users, QueueId leaf);
    // With one more such task, in any dimension of which it takes something. `reserved`: by others
    // of the user; null: nothing is.
    bool over_limit(UserId user, const Resources& task, const Amounts* reserved = nullptr) const {
      return !lines_.empty() && where_over(user, task, reserved).has_value();
    }
    std::optional<Over> where_over(UserId user, const Resources& task,
                                   const Amounts* reserved = nullptr) const;
    bool above_limit(UserId user) const;
    // Up to where a user may go in the dimension, whatever his next task takes; -1: not limited.
    std::int64_t limit_shown(Dimension d) const;

   private:
    struct Line {
      Dimension dimension;
      UserLimitFacts facts;  // of a user who needs nothing
    };

    const QueueState& queue_;
    const UserLimit& limit_;
    boost::container::static_vector<Line, kPlaceCount> lines_;  // none: nobody is limited
  };

  bool over_limit(QueueId leaf, UserId user, const Resources& task,
                  const Amounts* reserved = nullptr) const {
    return InLeaf(*this, leaf).over_limit(user, task, reserved);
  }
  // The job's gang is within all shares on its way, and no hard limit of its user forbids it.
  bool gang_within(const Job& job) const;
  bool above_limit(QueueId leaf, UserId user) const {
    return InLeaf(*this, leaf).above_limit(user);
  }
  // As InLeaf says; -1: nobody is there, too.
  std::int64_t limit_shown(QueueId queue, Dimension d) const;
  // What other jobs of the user have reserved in the leaf.
  Amounts reserved_by_others(QueueId leaf, UserId user, JobId job) const;

 private:
  const ClusterState& state_;
  const ContainerStanding& standing_;
};

}  // namespace weir
