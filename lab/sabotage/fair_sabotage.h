// What breaks a rule of the fair policy: lies about pools, launches out of turn, kills that are not
// due (fair_sabotage_kills.cpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lab/sabotage/sabotaged_policy.h"
#include "sim/checker/fair_rules.h"

namespace weir {

class FairSabotage : public SabotagedPolicy, public PassingPools {
 public:
  FairSabotage(std::unique_ptr<Policy> inner, const ClusterState& state, PolicyMemory& memory,
               std::shared_ptr<Sabotage> sabotage)
      : SabotagedPolicy(std::move(inner), state, memory, std::move(sabotage)),
        PassingPools(inner_->pools()) {}

  Pools* pools() override { return this; }

  Preemption tick(TimeMs now) override;
  std::vector<PoolFigures> pool_figures(TimeMs now) const override;
  JobFigures job_figures(JobId job, TaskKind kind) const override;
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override;

 protected:
  std::optional<Choice> choose_instead(const Offer& offer) override;
  bool change_choice(const Offer& offer, std::optional<Choice>& choice) override;

 private:
  check::FairRules rules() const;
  bool only_turn_matters(const Job& job, TaskKind kind, const check::FairRules& rules) const;
  std::optional<Choice> any_task(const Offer& offer, TaskKind kind, JobId but) const;
  std::optional<Choice> choose_too_many(const Offer& offer) const;
  std::optional<Choice> choose_over_pool_maximum(const Offer& offer) const;
  std::optional<Choice> choose_out_of_turn(const Offer& offer, const Choice& right) const;
  std::optional<Choice> choose_on_full_enough(const Offer& offer) const;
  std::optional<Choice> choose_too_far(const Offer& offer) const;
  bool is_near(const Choice& choice) const;

  Preemption plan_with_bent_memory(TimeMs now);
  Preemption plan_without_budgets(TimeMs now);
  bool replace_victim(KillOrder& order, const std::function<bool(const Attempt&)>& suits) const;
  bool kill_poor_pool(KillOrder& order, TimeMs now) const;
  bool kill_older(KillOrder& order) const;
  bool kill_out_of_pool(KillOrder& order) const;
};

}  // namespace weir
