#include "sim/checker_observer.h"

#include "capacity/capacity_settings.h"

namespace weir {

check::CapacityRules capacity_rules(const Settings& all) {
  const auto& sections = all.policies;
  const auto found = sections.find("capacity");
  const auto* section = found == sections.end()
                            ? nullptr
                            : dynamic_cast<const CapacitySettings*>(found->second.get());
  const CapacitySettings settings = section == nullptr ? CapacitySettings{} : *section;
  check::CapacityRules rules;
  rules.interval_ms = settings.interval_ms;
  rules.delays_maps = settings.locality_delay.mode != LocalityDelaySettings::Mode::kOff;
  switch (settings.redistribute_by) {
    case CapacitySettings::RedistributeBy::kGuaranteed:
      rules.redistribute_by = check::CapacityRules::RedistributeBy::kGuaranteed;
      break;
    case CapacitySettings::RedistributeBy::kWaitingJobs:
      rules.redistribute_by = check::CapacityRules::RedistributeBy::kWaitingJobs;
      break;
    case CapacitySettings::RedistributeBy::kDemand:
      rules.redistribute_by = check::CapacityRules::RedistributeBy::kDemand;
      break;
  }
  switch (settings.preemption) {
    case CapacitySettings::Preemption::kOn:
      rules.preemption = check::CapacityRules::Preemption::kOn;
      break;
    case CapacitySettings::Preemption::kLogOnly:
      rules.preemption = check::CapacityRules::Preemption::kLogOnly;
      break;
    case CapacitySettings::Preemption::kOff:
      rules.preemption = check::CapacityRules::Preemption::kOff;
      break;
  }
  return rules;
}

std::optional<check::CapacityRules> capacity_rules(const Engine& engine) {
  if (engine.policy().name() != "capacity") return std::nullopt;
  return capacity_rules(engine.state().settings());
}

CheckerObserver::CheckerObserver(check::CheckMode mode)
    : checker_(mode, [](const Engine& engine) { return capacity_rules(engine); }) {}

void CheckerObserver::on_step(const Engine& engine, const Input& input, const Output& output) {
  if (!breach_) breach_ = checker_.check(engine, input, output);
}

void CheckerObserver::on_end(const Engine& engine) {
  if (!breach_) breach_ = checker_.check_end(engine);
}

}  // namespace weir
