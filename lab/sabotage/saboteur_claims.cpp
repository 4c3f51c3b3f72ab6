// Claims that break a rule, for the saboteur's policy.
#include <algorithm>
#include <vector>

#include "lab/sabotage/saboteur_policy.h"

namespace weir {
namespace {

bool is_changed(const std::vector<ClaimStep>& steps, QueueId leaf, TaskKind kind) {
  return std::any_of(steps.begin(), steps.end(), [&](const ClaimStep& step) {
    return step.queue == leaf && step.kind == kind;
  });
}

}  // namespace

void SabotagedPolicy::change_claims(std::vector<ClaimStep>& out) {
  const auto opened = [](const ClaimStep& step) { return step.what == ClaimStep::What::kOpen; };
  if (active("claim-missing") && std::erase_if(out, opened) > 0) ++sabotage_->done;
  if (active("claim-unfounded")) {
    const auto wrong = claim_what_is_covered(out);
    if (!wrong) return;
    out.push_back(*wrong);
    ++sabotage_->done;
  }
  // A claim gives way to a younger one, as if it had been met, or were wanted no more.
  const bool met = active("claim-met");
  if (sabotage_->done > 0 || (!met && !active("claim-dropped"))) return;
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, leaf, id] : state_.claims().by_deadline(kind)) {
      if (is_changed(out, leaf, kind)) continue;
      out.push_back({met ? ClaimStep::What::kMeet : ClaimStep::What::kDrop, leaf, kind, 1});
      out.push_back({ClaimStep::What::kOpen, leaf, kind, 1});
      ++sabotage_->done;
      return;
    }
  }
}

// A shortfall that free slots will do for.
std::optional<ClaimStep> SabotagedPolicy::claim_what_is_covered(
    const std::vector<ClaimStep>& out) const {
  const check::Census census(state_, [](const Job& job) { return job.reduces_eligible; });
  for (const TaskKind kind : kTaskKinds) {
    const auto lines = expected(census, kind);
    for (const QueueId leaf : state_.tree().leaves()) {
      const check::ExpectedQueue& line = lines[leaf.index()];
      if (line.under_one_slot || is_changed(out, leaf, kind)) continue;
      if (line.kept() - line.running <= state_.claims().owed(leaf, kind)) continue;
      return ClaimStep{ClaimStep::What::kOpen, leaf, kind, 1};
    }
  }
  return std::nullopt;
}

}  // namespace weir
