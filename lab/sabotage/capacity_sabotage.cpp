#include "lab/sabotage/capacity_sabotage.h"

#include <algorithm>

#include "sim/checker/limits.h"
#include "sim/checker_observer.h"

namespace weir {

std::optional<Choice> CapacitySabotage::choose_instead(const Offer& offer) {
  const bool maximum = active("maximum");
  if (!maximum && !active("user-limit")) return SabotagedPolicy::choose_instead(offer);
  const check::Census counted = census();
  for (const TaskKind kind : kTaskKinds) {
    const auto lines = expected(counted, kind);
    const auto over = [&](const check::JobCount& of) {
      const bool queue = check::over_maximum(counted, lines, of.job->queue, of.width).has_value();
      if (maximum || queue) return maximum && queue;
      return check::over_hard_limit(counted, lines, of, kind).has_value();
    };
    if (auto choice = choose_of(counted, kind, offer, over)) return choice;
  }
  return std::nullopt;
}

// --- Figures ---

std::vector<check::ExpectedQueue> CapacitySabotage::expected(const check::Census& census,
                                                             TaskKind kind) const {
  return check::expect(census, kind, capacity_rules(state_.settings()), {});
}

std::map<QueueId, std::int64_t> CapacitySabotage::lie(TaskKind kind) const {
  const auto& leaves = state_.tree().leaves();
  if (active("guaranteed-sum") || active("pending") || active("allocated-sum")) {
    return {{leaves.front(), 1}};
  }
  if (active("guaranteed")) {
    if (leaves.size() < 2) return {};
    return {{leaves.front(), 1}, {leaves.back(), -1}};
  }
  const check::Census counted = census();
  const auto lines = expected(counted, kind);
  const auto allocated = [&](QueueId q) { return inner_->figures(q, kind).allocated; };
  for (const QueueId a : leaves) {
    const check::ExpectedQueue& one = lines[a.index()];
    const std::int64_t spare = allocated(a) - one.kept();
    for (const QueueId b : leaves) {
      if (a == b) continue;
      const check::ExpectedQueue& other = lines[b.index()];
      const std::int64_t room = std::max(other.maximum, other.guaranteed) - allocated(b);
      if (active("allocated-floor") && allocated(a) > 0) return {{a, -spare - 1}, {b, spare + 1}};
      if (active("allocated-ceiling") && spare > room) return {{a, -room - 1}, {b, room + 1}};
      if (active("allocated") && spare > 0 && room > 0) return {{a, -1}, {b, 1}};
    }
  }
  return {};
}

QueueFigures CapacitySabotage::figures(QueueId queue, Dimension dimension) const {
  const TaskKind kind = dimension.kind();
  QueueFigures figures = inner_->figures(queue, kind);
  const bool guaranteed = active("guaranteed") || active("guaranteed-sum");
  const bool allocated = active("allocated") || active("allocated-sum") ||
                         active("allocated-floor") || active("allocated-ceiling");
  if (!guaranteed && !allocated && !active("pending")) return figures;
  const auto falsified = lie(kind);
  const auto by = falsified.find(queue);
  if (by == falsified.end()) return figures;
  count_act();
  (guaranteed ? figures.guaranteed : allocated ? figures.allocated : figures.pending) += by->second;
  return figures;
}

}  // namespace weir
