// Whom to kill for claims that are due, where containers count (containers.md, section 9). A victim
// gives something of a dimension in which its leaf stays at or above its allocation: nobody falls
// below it in what it is killed for. Gangs come
// after single tasks, services last; nearest family first, then the largest
// (RUN - AC) / AC of its dimensions, recomputed after each kill; within a leaf users above their
// limit, then the latest launched. One planner plans one pass, off the heartbeat path.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "capacity/capacity_settings.h"
#include "capacity/container_claims.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_victims.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class ContainerKills {
 public:
  struct Figures {
    std::function<Amounts(QueueId)> allocated;
    std::function<bool(QueueId, UserId)> above_limit;  // the user takes more than his part
  };
  ContainerKills(const ClusterState& state, OwedPass& pass, TimeMs now,
                 CapacitySettings::Preemption preemption, Figures figures);

  void plan(Preemption& plan);

 private:
  struct Due {
    QueueId queue;
    TimeMs deadline = 0;
    Amounts overdue;   // that may be killed for now
    Amounts repeating; // whose last kill brought no launch, and that wait for another timer
  };
  std::vector<Due> due() const;
  void serve(Due& due, const OwedPass::Leaf& leaf, Preemption& plan);
  ClaimBlock kill_for(const Due& due, const OwedItem& item, std::vector<KillOrder>& kills);
  ClaimBlock kill_for_gang(const Due& due, const OwedItem& item, Preemption& plan);
  void find(const Due& due, const Resources& need, ClaimBlock block, Preemption& plan) const;
  void line_up();
  std::vector<ContainerVictims::Line*> in_order(QueueId claimant, const Resources& need);
  // Its leaf stays at its allocation.
  bool may_give(const ContainerVictims::Candidate& candidate, Dimension d,
                const ContainerVictims::Pile& pile) const;
  bool within_budget(const ContainerVictims::Candidate& candidate,
                     const ContainerVictims::Pile& pile) const;
  KillOrder commit(const Due& due, const OwedItem& item, const ContainerVictims::Found& found);

  const ClusterState& state_;
  OwedPass& pass_;
  TimeMs now_;
  CapacitySettings::Preemption preemption_;
  Figures figures_;
  ContainerVictims victims_;
  // Of one leaf, by what the first of them is. Within a line nothing changes by kills.
  std::map<std::pair<ContainerVictims::Candidate::Kind, QueueId>, ContainerVictims::Line> lines_;
  std::map<QueueId, Amounts> killed_;  // of each leaf, in this pass
  std::map<QueueId, std::int64_t> lost_ms_;
};

}  // namespace weir
