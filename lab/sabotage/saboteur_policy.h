// A policy led astray by the saboteur: passes everything on to the one it stands in for, except
// where it breaks the rule it is told to. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "lab/sabotage/passing_policy.h"
#include "lab/sabotage/saboteur.h"
#include "sim/checker/census.h"
#include "sim/checker/expected.h"
#include "sim/checker/fair_rules.h"

namespace weir {

class SabotagedPolicy : public PassingPolicy {
 public:
  SabotagedPolicy(std::unique_ptr<Policy> inner, const ClusterState& state, PolicyMemory& memory,
                  std::shared_ptr<Sabotage> sabotage);

  std::optional<Choice> choose(const Offer& offer) override;
  void on_launched(AttemptSlot attempt) override;
  void claim(std::vector<ClaimStep>& out) override;
  Preemption tick(TimeMs now) override;
  QueueFigures figures(QueueId queue, TaskKind kind) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;
  std::vector<PoolFigures> pools(TimeMs now) const override;
  JobFigures job_figures(JobId job, TaskKind kind) const override;
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override;

 private:
  bool active(std::string_view rule) const { return sabotage_->active(rule); }
  ClusterState& state() const { return const_cast<ClusterState&>(state_); }
  std::vector<check::ExpectedQueue> expected(const check::Census& census, TaskKind kind) const;

  // Choices that break a rule; nothing if there is no occasion.
  std::optional<Choice> choose_refused(const Offer& offer) const;
  std::optional<Choice> choose_twice(const Offer& offer);
  std::optional<Choice> choose_ended(const Offer& offer);
  std::optional<Choice> choose_early_reduce(const Offer& offer);
  std::optional<Choice> choose_on_full(const Offer& offer);
  std::optional<Choice> choose_over_limit(const Offer& offer, bool maximum);
  // Claims that change without a reason (saboteur_claims.cpp).
  void change_claims(std::vector<ClaimStep>& out);
  std::optional<ClaimStep> claim_what_is_covered(const std::vector<ClaimStep>& out) const;
  // Orders to kill that break a rule.
  Preemption plan_kills(TimeMs now);
  std::optional<KillOrder> kill_without_claim() const;
  std::optional<KillOrder> kill_for(const Claim& claim, TimeMs now) const;
  std::vector<KillOrder> kill_too_much(const Claim& claim, TimeMs now) const;
  std::optional<KillOrder> kill_early(TimeMs now);
  std::optional<KillOrder> kill_poor(const Claim& claim) const;
  std::optional<KillOrder> kill_elsewhere(const Claim& claim) const;
  // The same for pools (saboteur_pools.cpp).
  bool only_turn_matters(const Job& job, TaskKind kind) const;
  bool only_turn_matters(const Job& job, TaskKind kind, const check::FairRules& rules) const;
  std::optional<Choice> any_task(const Offer& offer, TaskKind kind, JobId but) const;
  std::optional<Choice> choose_too_many(const Offer& offer) const;
  std::optional<Choice> choose_out_of_turn(const Offer& offer,
                                           const std::optional<Choice>& right) const;
  std::optional<Choice> choose_on_full_enough(const Offer& offer) const;
  std::optional<Choice> choose_too_far(const Offer& offer) const;
  bool is_near(const Choice& choice) const;
  std::optional<Choice> choose_over_pool_maximum(const Offer& offer) const;
  Preemption plan_pool_kills(TimeMs now);
  bool replace_victim(KillOrder& order, const std::function<bool(const Attempt&)>& suits) const;
  bool kill_poor_pool(KillOrder& order, TimeMs now) const;
  bool kill_older(KillOrder& order) const;
  bool kill_out_of_pool(KillOrder& order) const;
  // By how much the figures of each leaf are falsified.
  std::map<QueueId, std::int64_t> lie(TaskKind kind) const;

  const ClusterState& state_;
  PolicyMemory& memory_;
  std::shared_ptr<Sabotage> sabotage_;
  std::uint64_t launches_ = 0;  // that this policy has seen
  std::function<void()> undo_;  // what was bent so that the engine would let a launch pass
};

}  // namespace weir
