// The fair policy's choices by an exhaustive walk, for tests only: at every choice all pools and
// all jobs are counted anew from the cluster's tasks and sorted by the rules of fair.md, and the
// first job in that order which may launch here does; what jobs have waited for locality is kept in
// a plain map. Everything that is no choice (pools, limits, shares, updates) is passed on to the
// real policy. Jobs of one slot a task, no failures and no preemption are all that it knows.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "lab/sabotage/passing_policy.h"
#include "lab/stories/fuzz_settings.h"
#include "sim/checker/pools.h"
#include "sim/checker_observer.h"

namespace weir::test {

class WalkingPolicy : public PassingPolicy {
 public:
  WalkingPolicy(std::unique_ptr<Policy> inner, const ClusterState& state,
                const PolicyMemory& memory, const Settings& settings)
      : PassingPolicy(std::move(inner)),
        state_(state),
        memory_(memory),
        rules_(fair_rules(settings)),
        delay_(fair_section(settings).locality_delay) {}

  void begin_offer(const Offer& offer) override;
  void end_offer(const Offer& offer) override;
  std::optional<Choice> choose(const Offer& offer) override;

 private:
  struct Wait {
    Locality level = Locality::kNode;
    DurationMs waited = 0;
    std::optional<TimeMs> passed_at;
  };
  // A pending map of the job, how near its input is, and whether that is known.
  struct Found {
    std::uint32_t map = 0;
    Locality level = Locality::kAny;
    bool located = false;
  };

  std::optional<Choice> walk(const Offer& offer, TaskKind kind, const check::Census& census);
  std::vector<const check::PoolJob*> all_in_order(const check::Pools& pools,
                                                  const std::string& pool) const;
  std::vector<const check::PoolJob*> by_deficit(const check::Pools& pools) const;
  bool under_maximums(const check::Pools& pools, const check::PoolJob& job,
                      const check::Census& census) const;
  std::optional<Choice> ask(const check::PoolJob& job, const Offer& offer, TaskKind kind);
  std::optional<Found> nearest(const Job& job, const TrackerState& tracker, Locality allowed) const;
  bool has_locations(const Job& job) const;
  Locality allowed(const Job& job, TimeMs now) const;
  bool starved(const std::string& pool, TimeMs now) const;

  const ClusterState& state_;
  const PolicyMemory& memory_;
  check::FairRules rules_;
  LocalityDelaySettings delay_;
  std::map<JobId, Wait> waits_;
  std::set<JobId> passed_, launched_;  // in this heartbeat
};

}  // namespace weir::test
