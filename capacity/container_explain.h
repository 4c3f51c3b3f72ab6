// Why tasks wait under the capacity policy where containers count: the figures that decide, by
// dimension, with their names. Questions, on the engine's thread.
#pragma once

#include <vector>

#include "capacity/capacity_settings.h"
#include "capacity/container_standing.h"
#include "capacity/container_users.h"
#include "jobqueue/model/reason.h"

namespace weir {

class ContainerExplain {
 public:
  // The standing is settled.
  ContainerExplain(const ClusterState& state, const ContainerStanding& standing,
                   const ContainerUsers& users, const KeptRoom* kept,
                   CapacitySettings::Preemption preemption)
      : state_(state),
        standing_(standing),
        users_(users),
        kept_(kept),
        preemption_(preemption) {}

  std::vector<Reason> reasons(const Job& job, TaskKind kind, TimeMs now) const;

 private:
  std::optional<Reason> of_user(const Job& job, TaskKind kind) const;
  // The queue nearest to the job that is at its maximum, or else at what is allocated to it.
  std::optional<Reason> of_queues(const Job& job, TaskKind kind) const;
  std::optional<Reason> at_capacity(QueueId queue, const Resources& need) const;
  std::optional<Reason> of_claims(QueueId leaf, TimeMs now) const;   // what its queue is owed
  std::optional<Reason> of_others(QueueId leaf, TimeMs now) const;   // whose claim comes first
  std::optional<Reason> of_jobs(const Job& job, TaskKind kind) const;  // before it in its queue
  std::string text(Dimension d, std::int64_t amount) const;          // "3072 MB"

  const ClusterState& state_;
  const ContainerStanding& standing_;
  const ContainerUsers& users_;
  const KeptRoom* kept_;  // null: nobody keeps anything
  const CapacitySettings::Preemption preemption_;
};

}  // namespace weir
