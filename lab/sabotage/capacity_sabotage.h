// What breaks a rule of the capacity policy: launches over limits, figures that are not so, claims
// that change without a reason (capacity_sabotage_claims.cpp), kills that are not due
// (capacity_sabotage_kills.cpp).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "lab/sabotage/sabotaged_policy.h"
#include "sim/checker/expected.h"

namespace weir {

class CapacitySabotage : public SabotagedPolicy, public Claims {
 public:
  using SabotagedPolicy::SabotagedPolicy;

  Claims* claims() override { return this; }
  void review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) override {
    inner_->claims()->review(now, tick, steps);
  }
  void on_lending_changed(QueueId queue, Dimension dimension) override {
    inner_->claims()->on_lending_changed(queue, dimension);
  }
  void claim(std::vector<ClaimStep>& out) override;
  Preemption tick(TimeMs now) override;
  QueueFigures figures(QueueId queue, Dimension dimension) const override;

 protected:
  std::optional<Choice> choose_instead(const Offer& offer) override;

 private:
  std::vector<check::ExpectedQueue> expected(const check::Census& census, TaskKind kind) const;
  // By how much the figures of each leaf are falsified.
  std::map<QueueId, std::int64_t> lie(TaskKind kind) const;

  std::optional<ClaimStep> claim_what_is_covered(const std::vector<ClaimStep>& out) const;

  Preemption plan_kills(TimeMs now);
  Preemption spend_over_budget(TimeMs now);
  std::optional<KillOrder> kill_without_claim() const;
  std::optional<KillOrder> kill_for(const Claim& claim, TimeMs now) const;
  std::vector<KillOrder> kill_too_much(const Claim& claim, TimeMs now) const;
  std::optional<KillOrder> kill_early(TimeMs now);
  std::optional<KillOrder> kill_poor(const Claim& claim) const;
  std::optional<KillOrder> kill_elsewhere(const Claim& claim) const;
};

// On claims and what is held for them.
const Acts& capacity_acts();

}  // namespace weir
