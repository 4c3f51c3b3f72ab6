// Lets the checker watch a simulated run, and tells it what the policies are set to: the checker
// itself may not know any policy. The first breach is kept; the runner looks after each
// step and stops there. One thread.
#pragma once

#include <optional>

#include "sim/checker/checker.h"
#include "sim/observer.h"

namespace weir {

class CheckerObserver : public Observer {
 public:
  explicit CheckerObserver(check::CheckMode mode);
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  // Of a run that was driven until nothing was left to do: every job must have ended.
  void on_end(const Engine& engine);
  const std::optional<check::Breach>& breach() const { return breach_; }

 private:
  check::Checker checker_;
  std::optional<check::Breach> breach_;
};

// The settings of a policy, defaults where nothing is said; of an engine: if it rules.
check::CapacityRules capacity_rules(const Settings& settings);
std::optional<check::CapacityRules> capacity_rules(const Engine& engine);
check::FairRules fair_rules(const Settings& settings);
std::optional<check::FairRules> fair_rules(const Engine& engine);

}  // namespace weir
