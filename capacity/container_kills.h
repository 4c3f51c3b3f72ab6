// Whom to kill for items that are due, where containers count (containers.md, section 9). A victim
// must give something of what the tracker lacks, of a dimension in which its leaf stays at or
// above its allocation: nobody falls below it in what it is killed for. Services come last; nearest
// family first, then the largest (RUN - AC) / AC of its dimensions, recomputed after each kill;
// within a leaf users above their limit, then the latest launched. Victims go on their trackers'
// piles until the first pile makes room, and what of it is not needed is spared. One planner plans
// one pass, off the heartbeat path: it walks the live attempts once, and only if there is something
// to kill.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "capacity/capacity_settings.h"
#include "capacity/container_claims.h"
#include "jobqueue/model/cluster_state.h"
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
  struct Candidate {
    AttemptSlot slot;
    const Resources* need = nullptr;
    bool often = false;        // preempted so often that it comes last
    bool service = false;
    bool above_limit = false;  // of its user
    bool taken = false;
  };
  struct Due {
    QueueId queue;
    TimeMs deadline = 0;
    Amounts overdue;   // that may be killed for now
    Amounts repeating; // whose last kill brought no launch, and that wait for another timer
  };
  std::vector<Due> due() const;
  void serve(Due& due, const OwedPass::Leaf& leaf, Preemption& plan);
  ClaimBlock kill_for(const Due& due, const OwedItem& item, Preemption& plan);
  void find(const Due& due, const Resources& need, ClaimBlock block, Preemption& plan) const;
  void collect();
  std::vector<std::size_t> in_order(QueueId claimant, const Resources& need) const;
  // The room there: free, dying and chosen, less what is held or planned for others.
  Resources room(TrackerId tracker) const;
  bool gives(const Candidate& candidate, const Resources& need, const Resources& room,
             const std::map<QueueId, Amounts>& pile) const;
  bool within_budget(const Attempt& attempt) const;
  bool may_run(const OwedItem& item, const TrackerState& tracker) const;
  bool finds_what_dies(const OwedItem& item);
  KillOrder commit(const Due& due, const OwedItem& item, TrackerId tracker,
                   const std::vector<std::size_t>& victims);

  const ClusterState& state_;
  OwedPass& pass_;
  TimeMs now_;
  CapacitySettings::Preemption preemption_;
  Figures figures_;
  bool collected_ = false;
  std::vector<Candidate> candidates_;
  std::map<TrackerId, Resources> dying_;
  std::map<TrackerId, Resources> chosen_;   // freed there by kills of this pass,
  std::map<TrackerId, Resources> planned_;  // and held there for them
  std::map<QueueId, Amounts> killed_;       // of each leaf, in this pass
  std::map<QueueId, std::int64_t> lost_ms_;
};

}  // namespace weir
