// A policy led astray: passes everything on to the one it stands in for, except where it breaks the
// rule it is told to. This class breaks the rules that hold under every policy; a class that
// derives from it those of one policy. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "lab/sabotage/passing_policy.h"
#include "lab/sabotage/sabotage.h"
#include "sim/checker/census.h"

namespace weir {

class SabotagedPolicy : public PassingPolicy {
 public:
  SabotagedPolicy(std::unique_ptr<Policy> inner, const ClusterState& state, PolicyMemory& memory,
                  std::shared_ptr<Sabotage> sabotage);

  std::optional<Choice> choose(const Offer& offer) override;
  void on_launched(AttemptSlot attempt) override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 protected:
  bool active(std::string_view rule) const { return sabotage_->active(rule); }
  void count_act() const { ++sabotage_->done; }
  std::uint64_t acts() const { return sabotage_->done; }
  ClusterState& state() const { return const_cast<ClusterState&>(state_); }
  check::Census census() const;
  std::uint64_t launches() const { return launches_; }  // that this policy has seen

  // A choice that breaks the rule, before the policy is asked; nothing if there is no occasion.
  virtual std::optional<Choice> choose_instead(const Offer& offer);
  // Whether what the policy chose was changed, so that it breaks the rule.
  virtual bool change_choice(const Offer&, std::optional<Choice>&) { return false; }
  // A task of the first job that suits.
  std::optional<Choice> choose_of(const check::Census& census, TaskKind kind, const Offer& offer,
                                  const std::function<bool(const check::JobCount&)>& suits) const;

  const ClusterState& state_;
  PolicyMemory& memory_;

 private:
  std::optional<Choice> choose_refused() const;
  std::optional<Choice> choose_twice(const Offer& offer);
  std::optional<Choice> choose_ended(const Offer& offer);
  std::optional<Choice> choose_early_reduce(const Offer& offer);
  std::optional<Choice> choose_on_full(const Offer& offer);

  std::shared_ptr<Sabotage> sabotage_;
  std::uint64_t launches_ = 0;
  std::function<void()> undo_;  // what was bent so that the engine would let a launch pass
};

}  // namespace weir
