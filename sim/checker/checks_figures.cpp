// The policy's figures held against those recomputed from the census and the settings.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checker/step.h"

namespace weir::check {
namespace {

struct Side {
  const Step& step;
  TaskKind kind;
  const ExpectedQueue& expected(QueueId q) const { return step.expected[index(kind)][q.index()]; }
  QueueFigures said(QueueId q) const { return step.engine.policy().figures(q, kind); }
  std::string who(QueueId q) const {
    return fmt::format("queue {} ({})", q == QueueTree::root() ? "(all)" : step.path(q),
                       name(kind));
  }
};

void check_sum(const Side& side, std::string_view rule, const char* what,
               std::int64_t QueueFigures::*figure, Verdict& verdict) {
  std::int64_t sum = 0;
  for (const QueueId leaf : side.step.state.tree().leaves()) sum += side.said(leaf).*figure;
  const std::int64_t slots = side.step.census.total.slots(side.kind);
  if (sum == slots) return;
  verdict.breach(rule, fmt::format("{} of the leaf queues add up to {} of {} {} slots", what, sum,
                                   slots, name(side.kind)));
}

void check_equal(const Side& side, std::string_view rule, const char* what,
                 std::int64_t QueueFigures::*figure, std::int64_t ExpectedQueue::*value,
                 Verdict& verdict) {
  for (std::size_t i = side.step.state.tree().size(); i-- > 0;) {  // leaves before their parents
    const QueueId q(i);
    const ExpectedQueue& line = side.expected(q);
    if (side.said(q).*figure == line.*value) continue;
    verdict.breach(
        rule, fmt::format("{}: {} is {}, recomputed {} (GC {}, MAX {}, RUN {}, PEND {}, "
                          "DEM {}, AC {})",
                          side.who(q), what, side.said(q).*figure, line.*value, line.guaranteed,
                          line.maximum, line.running, line.pending, line.demand, line.allocated));
  }
}

void check_bounds(const Side& side, Verdict& verdict) {
  for (std::size_t i = 0; i < side.step.state.tree().size(); ++i) {
    const QueueId q(i);
    const ExpectedQueue& line = side.expected(q);
    const std::int64_t allocated = side.said(q).allocated;
    if (allocated < line.kept()) {
      verdict.breach("allocated-floor",
                     fmt::format("{}: AC {} is below min(GC {}, DEM {})", side.who(q), allocated,
                                 line.guaranteed, line.demand));
    }
  }
  for (std::size_t i = 0; i < side.step.state.tree().size(); ++i) {
    const QueueId q(i);
    const ExpectedQueue& line = side.expected(q);
    const std::int64_t allocated = side.said(q).allocated;
    if (allocated > std::max(line.maximum, line.guaranteed)) {
      verdict.breach("allocated-ceiling",
                     fmt::format("{}: AC {} is above max(MAX {}, GC {})", side.who(q), allocated,
                                 line.maximum, line.guaranteed));
    }
  }
}

}  // namespace

void check_figures(const Step& step, Verdict& verdict) {
  if (!step.rules) return;
  for (const TaskKind kind : kTaskKinds) {
    const Side side{step, kind};
    using F = QueueFigures;
    using E = ExpectedQueue;
    check_sum(side, "guaranteed-sum", "GC", &F::guaranteed, verdict);
    check_equal(side, "guaranteed", "GC", &F::guaranteed, &E::guaranteed, verdict);
    check_equal(side, "pending", "PEND", &F::pending, &E::pending, verdict);
    check_sum(side, "allocated-sum", "AC", &F::allocated, verdict);
    check_bounds(side, verdict);
    check_equal(side, "allocated", "AC", &F::allocated, &E::allocated, verdict);
  }
}

}  // namespace weir::check
