// Whom to kill for pools that have been short for too long, where containers count (containers.md
// 5.7 and 9). A pool is served with the tasks that it is owed within its minimum share, or within
// its fair share, in its order; those that free room or an earlier kill takes need none. A victim
// gives something of a dimension that lacks, and every pool from its own up to below the common
// one, and its job, keeps its share of that (of memory, where they share by memory alone). Services
// die last; those of the nearest family first, then the latest launched. One planner plans one
// check, off the heartbeat path.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "fair/pool_amounts.h"
#include "fair/pool_wants.h"
#include "jobqueue/policy/container_victims.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class ContainerPoolKills {
 public:
  struct Due {
    PoolId pool;
    KillReason reason = KillReason::kMinShare;
    DurationMs short_ms = 0;  // for so long
  };
  // What the policy knows, settled.
  struct Figures {
    const PoolTree& tree;
    const PoolAmounts& amounts;
    std::function<const PoolAmounts::JobLine*(JobId)> line_of;  // null: none
    PoolWants::Rules rules;
    const KeptRoom* kept;  // null: nobody keeps anything
  };
  ContainerPoolKills(const ClusterState& state, TimeMs now, bool log_only, Figures figures);

  // In that order.
  void plan(const std::vector<Due>& due, Preemption& plan);
  // Pools that nobody can be killed for, and why.
  const std::map<PoolId, ClaimBlock>& unmet() const { return unmet_; }

 private:
  using Candidate = ContainerVictims::Candidate;
  using Pile = ContainerVictims::Pile;
  using Line = ContainerVictims::Line;
  void serve(const Due& due, Preemption& plan);
  bool helps(const Due& due, const Resources& need) const;
  bool is_on_the_way(const PoolWants::Want& want);
  ClaimBlock kill_for(const Due& due, const PoolWants::Want& want, std::vector<KillOrder>& kills);
  ClaimBlock kill_for_gang(const Due& due, const PoolWants::Want& want, Preemption& plan);
  void line_up(PoolId needy);
  std::vector<Line*> in_order(PoolId needy);
  PoolId pool_of(std::size_t candidate) const;  // invalid: of none
  bool may_give(PoolId needy, const Candidate& candidate, Dimension d, const Pile& pile) const;
  bool keeps_share(const ShareLine& line, Dimension d, std::int64_t left) const;
  bool within_budget(const Candidate& candidate, const Pile& pile) const;
  KillOrder commit(const Due& due, const PoolWants::Want& want,
                   const ContainerVictims::Found& found);

  const ClusterState& state_;
  TimeMs now_;
  bool log_only_;
  Figures figures_;
  FreeRooms rooms_;
  PoolWants wants_;
  ContainerVictims victims_;
  struct OnTheWay {
    PoolId pool;
    Amounts need;
  };
  std::vector<OnTheWay> on_the_way_;
  std::vector<std::size_t> latest_first_;  // all candidates, once there is something to kill
  // For one needy pool: by what they are, and by how many steps up there is a common family.
  PoolId lines_for_;
  std::map<std::pair<Candidate::Kind, std::int64_t>, Line> lines_;
  std::map<PoolId, Amounts> killed_;  // of each pool and job, in this check
  std::map<JobId, Amounts> job_killed_;
  std::map<PoolId, std::int64_t> lost_ms_;
  std::map<PoolId, ClaimBlock> unmet_;
};

}  // namespace weir
