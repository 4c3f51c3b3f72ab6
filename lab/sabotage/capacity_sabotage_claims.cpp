#include <algorithm>
#include <vector>

#include "lab/sabotage/capacity_sabotage.h"
#include "sim/checker/step.h"

namespace weir {
namespace {

bool is_changed(const std::vector<ClaimStep>& steps, QueueId leaf, TaskKind kind) {
  return std::any_of(steps.begin(), steps.end(), [&](const ClaimStep& step) {
    return step.queue == leaf && step.dimension == kind;
  });
}

// --- What queues are owed, in the state ---

Claim* any_claim(ClusterState& state) {
  for (const QueueId leaf : state.tree().leaves()) {
    for (const TaskKind kind : kTaskKinds) {
      const auto& claims = state.claims().claims(leaf, kind);
      if (!claims.empty()) return const_cast<Claim*>(&claims.front());
    }
  }
  return nullptr;
}

// A claim of a queue that lacks nothing, right after claims were compared with the shortfalls.
bool break_claim_excess(const Scene& scene) {
  if (!std::holds_alternative<Tick>(scene.input.body)) return false;
  if (scene.engine.policy().name() != "capacity") return false;
  const QueueId leaf = scene.state.tree().leaves().front();
  const DurationMs after = check::reclaim_after(scene.state.tree(), leaf, TaskKind::kMap);
  scene.state.mutable_claims().open(leaf, TaskKind::kMap, 1000, scene.engine.now(), after);
  return true;
}

// A slot goes from an older claim to a younger one of the same queue, and nobody hears of it.
bool break_claim_book(const Scene& scene) {
  for (const QueueId leaf : scene.state.tree().leaves()) {
    for (const TaskKind kind : kTaskKinds) {
      auto& claims = const_cast<std::vector<Claim>&>(scene.state.claims().claims(leaf, kind));
      if (claims.size() < 2 || claims.front().slots < 2) continue;
      --claims.front().slots;
      ++claims.back().slots;
      return true;
    }
  }
  return false;
}

// Nobody hears that claims are due later now that their policy is back.
bool break_claim_resumed(const Scene& scene) {
  return std::erase_if(scene.output.events, [](const Event& event) {
           const auto* opened = fact_as<ClaimOpened>(event.fact);
           return opened != nullptr && opened->again;
         }) > 0;
}

// The slot of a kill counts as used, but nobody has started there.
bool break_kill_outcome(const Scene& scene) {
  if (scene.state.claims().holds().empty()) return false;
  const HoldId hold = scene.state.claims().holds().front().id;
  for (const KillRecord& record : scene.state.claims().records()) {
    if (record.hold != hold || record.at == scene.engine.now()) continue;
    scene.state.mutable_claims().settle_records(hold, KillRecord::Outcome::kUsed);
    return true;
  }
  return false;
}

bool break_lending(const Scene& scene) {
  if (scene.engine.policy().name() != "capacity") return false;
  for (std::size_t q = 1; q < scene.state.tree().size(); ++q) {
    if (scene.state.tree().nodes()[q].settings.lend_after_ms == 0) continue;
    auto& lending = scene.state.mutable_claims().mutable_lending(QueueId(q), TaskKind::kMap);
    if (lending.lends) continue;
    lending.lends = true;
    return true;
  }
  return false;
}

bool break_deadline(const Scene& scene) {
  Claim* claim = any_claim(scene.state);
  if (claim != nullptr) ++claim->deadline;
  return claim != nullptr;
}

bool break_hold(const Scene& scene) {
  auto& holds = scene.state.mutable_claims().mutable_holds();
  if (!holds.empty()) holds.front().claim = 0;
  return !holds.empty();
}

}  // namespace

const Acts& capacity_acts() {
  static const Acts all = {
      {"claim-deadline", break_deadline},     {"claim-excess", break_claim_excess},
      {"claim-book", break_claim_book},       {"claim-resumed", break_claim_resumed},
      {"hold-without-claim", break_hold},     {"kill-outcome", break_kill_outcome},
      {"lend-after", break_lending},
  };
  return all;
}

// --- What the policy asks for ---

void CapacitySabotage::claim(std::vector<ClaimStep>& out) {
  inner_->claims()->claim(out);
  const auto opened = [](const ClaimStep& step) { return step.what == ClaimStep::What::kOpen; };
  if (active("claim-missing") && std::erase_if(out, opened) > 0) count_act();
  if (active("claim-unfounded")) {
    const auto wrong = claim_what_is_covered(out);
    if (!wrong) return;
    out.push_back(*wrong);
    count_act();
  }
  // A claim gives way to a younger one, as if it had been met, or were wanted no more.
  const bool met = active("claim-met");
  if (acts() > 0 || (!met && !active("claim-dropped"))) return;
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, leaf, id] : state_.claims().by_deadline(kind)) {
      if (is_changed(out, leaf, kind)) continue;
      out.push_back({met ? ClaimStep::What::kMeet : ClaimStep::What::kDrop, leaf, kind, 1});
      out.push_back({ClaimStep::What::kOpen, leaf, kind, 1});
      count_act();
      return;
    }
  }
}

// A shortfall that free slots will do for.
std::optional<ClaimStep> CapacitySabotage::claim_what_is_covered(
    const std::vector<ClaimStep>& out) const {
  const check::Census counted = census();
  for (const TaskKind kind : kTaskKinds) {
    const auto lines = expected(counted, kind);
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
