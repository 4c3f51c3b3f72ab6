#include <algorithm>
#include <utility>

#include "fair/fair_settings.h"
#include "lab/sabotage/fair_sabotage.h"
#include "sim/checker/pools.h"

namespace weir {
namespace {

FairSettings* fair_settings(const ClusterState& state) {
  const auto& sections = state.settings().policies;
  const auto found = sections.find("fair");
  if (found == sections.end()) return nullptr;
  return const_cast<FairSettings*>(dynamic_cast<const FairSettings*>(found->second.get()));
}

void each_pool(std::vector<PoolSettings>& pools, const std::function<void(PoolSettings&)>& change) {
  for (PoolSettings& pool : pools) {
    change(pool);
    each_pool(pool.pools, change);
  }
}

}  // namespace

Preemption FairSabotage::tick(TimeMs now) {
  Preemption plan = active("pool-kill-early")    ? plan_with_bent_memory(now)
                    : active("pool-kill-budget") ? plan_without_budgets(now)
                                                 : inner_->tick(now);
  const FairSettings* settings = fair_settings(state_);
  if (plan.kills.empty() || settings == nullptr) return plan;
  if (active("pool-kill-forbidden")) {  // under log_only
    for (KillOrder& order : plan.kills) {
      if (std::exchange(order.log_only, false)) count_act();
    }
  }
  if (settings->preemption != FairSettings::Preemption::kOn) return plan;
  if (active("pool-kill-missing")) {
    plan.kills.clear();
    count_act();
    return plan;
  }
  if (active("pool-kill-early") || active("pool-kill-budget")) count_act();
  KillOrder& first = plan.kills.front();
  bool done = false;
  if (active("pool-kill-excess")) {
    first.slots += 100;
    done = true;
  }
  if (active("pool-kill-poor")) done = kill_poor_pool(first, now);
  if (active("pool-kill-order")) done = kill_older(first);
  if (active("pool-kill-useless")) done = kill_out_of_pool(first);
  if (done) {
    plan.kills.resize(1);
    count_act();
  }
  return plan;
}

// Everybody has been short for ever.
Preemption FairSabotage::plan_with_bent_memory(TimeMs now) {
  const auto before = memory_.pools;
  for (auto& [pool, stamps] : memory_.pools) {
    for (const TaskKind kind : kTaskKinds) {
      if (stamps.at_min_share[index(kind)] != kNever) stamps.at_min_share[index(kind)] = 1;
      if (stamps.at_half_share[index(kind)] != kNever) stamps.at_half_share[index(kind)] = 1;
    }
  }
  Preemption plan = inner_->tick(now);
  for (const auto& [pool, stamps] : before) {  // else nobody would wait for locality
    const auto known = memory_.pools.find(pool);
    if (known == memory_.pools.end()) continue;
    for (const TaskKind kind : kTaskKinds) {
      TimeMs& at_min = known->second.at_min_share[index(kind)];
      TimeMs& at_half = known->second.at_half_share[index(kind)];
      if (at_min == 1) at_min = stamps.at_min_share[index(kind)];
      if (at_half == 1) at_half = stamps.at_half_share[index(kind)];
    }
  }
  return plan;
}

// The planner does not hear of budgets.
Preemption FairSabotage::plan_without_budgets(TimeMs now) {
  FairSettings* settings = fair_settings(state_);
  if (settings == nullptr) return inner_->tick(now);
  std::vector<std::optional<std::int64_t>> budgets;
  each_pool(settings->pools, [&](PoolSettings& pool) {
    budgets.push_back(std::exchange(pool.kill_budget, std::nullopt));
  });
  Preemption plan = inner_->tick(now);
  auto budget = budgets.begin();
  each_pool(settings->pools, [&](PoolSettings& pool) { pool.kill_budget = *budget++; });
  return plan;
}

bool FairSabotage::replace_victim(KillOrder& order,
                                     const std::function<bool(const Attempt&)>& suits) const {
  for (std::size_t slot = 0; slot < state_.attempts().size(); ++slot) {
    const Attempt& attempt = state_.attempts()[slot];
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != order.kind) continue;
    if (!suits(attempt)) continue;
    order.victims = {AttemptSlot(slot)};
    return true;
  }
  return false;
}

// A task of another pool that runs no more than its share.
bool FairSabotage::kill_poor_pool(KillOrder& order, TimeMs now) const {
  const std::vector<PoolFigures> all = inner_pools_.pool_figures(now);
  return replace_victim(order, [&](const Attempt& attempt) {
    const std::string pool(inner_pools_.pool_of(attempt.key.task.job));
    if (check::within(order.for_pool, pool)) return false;
    return std::any_of(all.begin(), all.end(), [&](const PoolFigures& figures) {
      const QueueFigures& of = figures.of[index(order.kind)];
      return figures.pool == pool && share_of_slots(of.running) <= of.share;
    });
  });
}

// One of the same job on the same tracker that has run for longer.
bool FairSabotage::kill_older(KillOrder& order) const {
  if (order.victims.size() != 1) return false;
  const Attempt victim = state_.attempt(order.victims.front());
  const std::string pool(inner_pools_.pool_of(victim.key.task.job));
  if (rules().of(pool).kill_budget) return false;
  return replace_victim(order, [&](const Attempt& attempt) {
    return attempt.key.task.job == victim.key.task.job && attempt.tracker == victim.tracker &&
           attempt.launch_order < victim.launch_order;
  });
}

// The latest of a tracker whose slots are nobody's to have; of the same job.
bool FairSabotage::kill_out_of_pool(KillOrder& order) const {
  if (order.victims.size() != 1) return false;
  const Attempt victim = state_.attempt(order.victims.front());
  const std::string pool(inner_pools_.pool_of(victim.key.task.job));
  if (rules().of(pool).kill_budget) return false;
  return replace_victim(order, [&](const Attempt& attempt) {
    const TrackerState& tracker = state_.tracker(attempt.tracker);
    if (attempt.key.task.job != victim.key.task.job || tracker.in_pool()) return false;
    return std::none_of(tracker.attempts.begin(), tracker.attempts.end(), [&](AttemptSlot slot) {
      return state_.attempt(slot).launch_order > attempt.launch_order;
    });
  });
}

}  // namespace weir
