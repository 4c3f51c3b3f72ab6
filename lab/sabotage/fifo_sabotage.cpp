#include "lab/sabotage/fifo_sabotage.h"

#include "sim/checker/expected.h"
#include "sim/checker/limits.h"

namespace weir {

std::optional<Choice> FifoSabotage::choose_instead(const Offer& offer) {
  if (!active("maximum")) return SabotagedPolicy::choose_instead(offer);
  const check::Census counted = census();
  for (const TaskKind kind : kTaskKinds) {
    const auto lines = check::expect_maximums(counted, kind);
    const auto over = [&](const check::JobCount& of) {
      return check::over_declared_maximum(counted, lines, of.job->queue, of.width).has_value();
    };
    if (auto choice = choose_of(counted, kind, offer, over)) return choice;
  }
  return std::nullopt;
}

}  // namespace weir
