#include <algorithm>
#include <utility>
#include <vector>

#include "lab/sabotage/capacity_sabotage.h"
#include "sim/checker/victims.h"
#include "sim/checker_observer.h"

namespace weir {
namespace {

std::vector<Claim> due_claims(const ClusterState& state, TimeMs now) {
  std::vector<Claim> due;
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : state.claims().by_deadline(kind)) {
      const Claim& claim = *state.claims().find(queue, kind, id);
      if (now >= claim.kills_from) due.push_back(claim);
    }
  }
  return due;
}

KillOrder order_for(const Claim& claim, std::vector<AttemptSlot> victims, std::int64_t slots) {
  return {.victims = std::move(victims),
          .for_queue = claim.queue,
          .claim = claim.id,
          .kind = claim.dimension.kind(),
          .slots = slots};
}

}  // namespace

Preemption CapacitySabotage::tick(TimeMs now) {
  Preemption plan = plan_kills(now);
  if (active("claim-unserved") && !plan.kills.empty()) {
    plan.kills.clear();
    count_act();
  }
  if (active("kill-forbidden")) {  // under log_only
    for (KillOrder& order : plan.kills) {
      if (!std::exchange(order.log_only, false)) continue;
      count_act();
    }
  }
  return plan;
}

Preemption CapacitySabotage::plan_kills(TimeMs now) {
  const auto rules = capacity_rules(state_.settings());
  if (rules.preemption != check::CapacityRules::Preemption::kOn) return inner_->tick(now);
  Preemption plan;
  const auto add = [&](std::optional<KillOrder> order) {
    if (order) plan.kills.push_back(std::move(*order));
  };
  if (active("kill-without-claim")) add(kill_without_claim());
  if (active("kill-early")) add(kill_early(now));
  for (const Claim& claim : due_claims(state_, now)) {
    if (!plan.kills.empty()) break;
    if (active("kill-below-allocated")) add(kill_poor(claim));
    if (active("kill-useless")) add(kill_elsewhere(claim));
    if (active("kill-excess")) plan.kills = kill_too_much(claim, now);
  }
  if (active("kill-budget")) return spend_over_budget(now);
  if (plan.kills.empty()) return inner_->tick(now);
  count_act();
  return plan;
}

// The planner does not hear of budgets.
Preemption CapacitySabotage::spend_over_budget(TimeMs now) {
  std::vector<std::optional<std::int64_t>> budgets;
  auto& nodes = const_cast<std::vector<QueueTree::Node>&>(state_.tree().nodes());
  for (auto& node : nodes) budgets.push_back(std::exchange(node.settings.kill_budget, {}));
  Preemption plan = inner_->tick(now);
  for (std::size_t q = 0; q < nodes.size(); ++q) nodes[q].settings.kill_budget = budgets[q];
  const bool matters = std::any_of(plan.kills.begin(), plan.kills.end(), [&](const auto& order) {
    const Attempt& victim = state_.attempt(order.victims.front());
    const auto budget = state_.tree().node(victim.queue).settings.kill_budget;
    const std::string& path = state_.tree().node(victim.queue).path;
    const std::int64_t lost = state_.claims().losses().of_queue(path, now);
    return budget && lost + now - victim.launched_at > *budget * 1000;
  });
  if (matters) count_act();
  return plan;
}

std::optional<KillOrder> CapacitySabotage::kill_without_claim() const {
  for (std::size_t slot = 0; slot < state_.attempts().size(); ++slot) {
    const Attempt& attempt = state_.attempts()[slot];
    if (!attempt.live || attempt.dying()) continue;
    return KillOrder{.victims = {AttemptSlot(slot)},
                     .for_queue = state_.tree().leaves().front(),
                     .kind = attempt.key.task.kind};
  }
  return std::nullopt;
}

// A kill as it should be.
std::optional<KillOrder> CapacitySabotage::kill_for(const Claim& claim, TimeMs now) const {
  const check::Census counted = census();
  const auto lines = expected(counted, claim.dimension.kind());
  const check::VictimSearch search{counted, lines, claim.dimension.kind(), now, {}};
  const auto victims = search.find(claim.queue, claim.slots);
  if (!victims) return std::nullopt;
  return order_for(claim, victims->attempts, victims->slots);
}

std::vector<KillOrder> CapacitySabotage::kill_too_much(const Claim& claim, TimeMs now) const {
  const auto order = kill_for(claim, now);
  if (!order || order->victims.size() != 1 ||
      order->slots != state_.claims().owed(claim.queue, claim.dimension.kind())) {
    return {};
  }
  // The same slots are promised twice: two victims where one would do.
  const check::Census counted = census();
  const auto lines = expected(counted, claim.dimension.kind());
  const check::VictimSearch search{counted, lines, claim.dimension.kind(), now, {}};
  const Attempt& first = state_.attempt(order->victims.front());
  const std::int64_t gone = state_.job(first.key.task.job).width(claim.dimension.kind());
  for (std::size_t slot = 0; slot < state_.attempts().size(); ++slot) {
    const Attempt& other = state_.attempts()[slot];
    if (!other.live || other.dying() || other.key.task.kind != claim.dimension.kind() ||
        other.tracker == first.tracker || other.queue == claim.queue) {
      continue;
    }
    const Job& job = state_.job(other.key.task.job);
    const TrackerState& tracker = state_.tracker(other.tracker);
    Resources held = counted.trackers.at(tracker.id).held;
    held -= job.need(claim.dimension.kind());
    if (!check::in_pool(tracker) || tracker.keeps > 0 ||
        !search.stays_at_allocation(other.queue, job.width(claim.dimension.kind()), claim.queue,
                                    {{first.queue, gone}}) ||
        state_.tree().node(other.queue).settings.kill_budget ||
        state_.tree().node(first.queue).settings.kill_budget ||
        !search.could_start(claim.queue, order->slots, tracker, held)) {
      continue;
    }
    return {*order, order_for(claim, {AttemptSlot(slot)}, order->slots)};
  }
  return {};
}

std::optional<KillOrder> CapacitySabotage::kill_early(TimeMs now) {
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : state_.claims().by_deadline(kind)) {
      const Claim& claim = *state_.claims().find(queue, kind, id);
      if (now >= claim.kills_from) continue;
      auto order = kill_for(claim, now);
      if (!order) continue;
      const_cast<Claim&>(claim).kills_from = now;  // or the engine would refuse
      return order;
    }
  }
  return std::nullopt;
}

// Out of a queue that has no more than is allocated to it.
std::optional<KillOrder> CapacitySabotage::kill_poor(const Claim& claim) const {
  for (std::size_t slot = 0; slot < state_.attempts().size(); ++slot) {
    const Attempt& attempt = state_.attempts()[slot];
    if (!attempt.live || attempt.dying()) continue;
    if (attempt.key.task.kind != claim.dimension.kind()) continue;
    if (attempt.queue == claim.queue) continue;
    const QueueFigures figures = inner_->figures(attempt.queue, claim.dimension.kind());
    const std::int64_t slots = state_.job(attempt.key.task.job).width(claim.dimension.kind());
    if (figures.running - slots < figures.allocated) {
      return order_for(claim, {AttemptSlot(slot)}, slots);
    }
  }
  return std::nullopt;
}

// Where the claimant has nothing that could start: for a task that is wider than all of his.
std::optional<KillOrder> CapacitySabotage::kill_elsewhere(const Claim& claim) const {
  constexpr std::int64_t kTooWide = 1000;
  auto order = kill_for(claim, claim.kills_from);
  if (!order) return std::nullopt;
  for (const AttemptSlot slot : order->victims) {
    if (state_.tree().node(state_.attempt(slot).queue).settings.kill_budget) return std::nullopt;
  }
  order->slots = kTooWide;
  return order;
}

}  // namespace weir
