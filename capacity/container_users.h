// How much of a leaf its users may have, where containers count (containers.md 4.6): their limits
// in each dimension by itself; one of them is enough to stop a task. Questions over the state and
// the shares, on the engine's thread.
#pragma once

#include <optional>

#include "capacity/container_standing.h"
#include "jobqueue/model/cluster_state.h"

namespace weir {

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
  // Up to where a user may go, whatever his next task takes; -1: nobody is there, or is limited.
  std::int64_t limit_shown(QueueId queue, Dimension d) const;
  // What other jobs of the user have reserved in the leaf.
  Amounts reserved_by_others(QueueId leaf, UserId user, JobId job) const;

 private:
  struct Part {
    std::int64_t has = 0, allowed = 0;
  };
  bool limited(QueueId leaf) const;
  static std::int64_t active(const QueueState& leaf, Dimension d);
  bool has_enough(QueueId leaf, UserId user, Dimension d, std::int64_t more) const;
  Part part(QueueId leaf, UserId user, Dimension d, std::int64_t need) const;

  const ClusterState& state_;
  const ContainerStanding& standing_;
};

}  // namespace weir
