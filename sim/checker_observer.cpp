#include "sim/checker_observer.h"

#include "capacity/capacity_settings.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

check::PoolRules pool_rules(const PoolSettings& settings) {
  return {.weight = settings.weight,
          .minimum = settings.min_share,
          .maximum = settings.max_share,
          .running_jobs = settings.max_running_jobs,
          .fifo = settings.mode == PoolSettings::Mode::kFifo,
          .min_timeout = settings.min_share_timeout_ms,
          .fair_timeout = settings.fair_share_timeout_ms,
          .kill_budget = settings.kill_budget};
}

void add_pools(const std::vector<PoolSettings>& pools, const std::string& above,
               check::FairRules& rules) {
  for (const PoolSettings& pool : pools) {
    rules.pools[above + pool.name] = pool_rules(pool);
    add_pools(pool.pools, above + pool.name + ".", rules);
  }
}

}  // namespace

check::FairRules fair_rules(const Settings& all) {
  const auto found = all.policies.find("fair");
  const auto* section = found == all.policies.end()
                            ? nullptr
                            : dynamic_cast<const FairSettings*>(found->second.get());
  const FairSettings settings = section == nullptr ? FairSettings{} : *section;
  check::FairRules rules;
  add_pools(settings.pools, "", rules);
  rules.undeclared = pool_rules(settings.undeclared);
  rules.user_running_jobs = settings.user_max_running_jobs;
  rules.default_user_running_jobs = settings.default_user_max_running_jobs;
  rules.pool_name_property = settings.pool_name_property;
  rules.deficit = settings.algorithm == FairSettings::Algorithm::kDeficit;
  using Preemption = check::FairRules::Preemption;
  switch (settings.preemption) {
    case FairSettings::Preemption::kOff:
      rules.preemption = Preemption::kOff;
      break;
    case FairSettings::Preemption::kLogOnly:
      rules.preemption = Preemption::kLogOnly;
      break;
    case FairSettings::Preemption::kOn:
      rules.preemption = Preemption::kOn;
      break;
  }
  rules.preemption_interval = settings.preemption_interval_ms;
  rules.assign_multiple = settings.assign_multiple;
  rules.per_heartbeat = settings.max_per_heartbeat;
  rules.size_based = settings.size_based_weight;
  const bool booster = settings.weight_adjuster == "new_job_booster" ||
                       (settings.weight_adjuster.empty() && settings.new_job_booster);
  if (booster) {
    const auto boost = settings.new_job_booster.value_or(FairSettings::Booster{});
    rules.boost_factor = boost.factor;
    rules.boost_ms = boost.duration_ms;
  }
  rules.load_cap = settings.load_manager == "cap";
  rules.load_max_diff = settings.load_max_diff_millionths;
  rules.delays_maps = settings.locality_delay.mode != LocalityDelaySettings::Mode::kOff;
  using Delay = LocalityDelaySettings::Mode;
  const LocalityDelaySettings& delay = settings.locality_delay;
  rules.delays_adapt = delay.mode == Delay::kAdaptive;
  if (delay.mode == Delay::kFixed) rules.delays.emplace(delay.node_ms, delay.rack_ms);
  rules.splits = settings.copy_compute_split;
  return rules;
}

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

std::optional<check::FairRules> fair_rules(const Engine& engine) {
  if (engine.policy().name() != "fair") return std::nullopt;
  return fair_rules(engine.state().settings());
}

CheckerObserver::CheckerObserver(check::CheckMode mode)
    : checker_(
          mode, [](const Engine& engine) { return capacity_rules(engine); },
          [](const Engine& engine) { return fair_rules(engine); }) {}

void CheckerObserver::on_step(const Engine& engine, const Input& input, const Output& output) {
  if (!breach_) breach_ = checker_.check(engine, input, output);
}

void CheckerObserver::on_end(const Engine& engine) {
  if (!breach_) breach_ = checker_.check_end(engine);
}

}  // namespace weir
