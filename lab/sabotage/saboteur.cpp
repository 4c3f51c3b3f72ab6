#include "lab/sabotage/saboteur.h"

#include <utility>
#include <vector>

#include "lab/sabotage/capacity_sabotage.h"
#include "lab/sabotage/fair_sabotage.h"
#include "lab/sabotage/fifo_sabotage.h"
#include "lab/sabotage/sabotaged_policy.h"
#include "lab/sabotage/state_acts.h"
#include "sim/checker/rules.h"

namespace weir {
namespace {

using Inner = std::unique_ptr<Policy>;
using Shared = std::shared_ptr<Sabotage>;

template <class Led>
Inner lead_astray(Inner inner, const ClusterState& state, PolicyMemory& memory, Shared sabotage) {
  return std::make_unique<Led>(std::move(inner), state, memory, std::move(sabotage));
}

// Who leads which policy astray, one line a policy. One that is not here breaks the rules that hold
// under every policy.
struct PolicySabotage {
  std::string_view policy;
  Inner (*lead)(Inner, const ClusterState&, PolicyMemory&, Shared);
};
constexpr PolicySabotage kPolicies[] = {
    {"capacity", lead_astray<CapacitySabotage>},
    {"fair", lead_astray<FairSabotage>},
    {"fifo", lead_astray<FifoSabotage>},
};

Act find_act(const std::string& rule) {
  for (const Acts* acts : {&state_acts(), &capacity_acts()}) {
    const auto found = acts->find(rule);
    if (found != acts->end()) return found->second;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Saboteur>> Saboteur::create(const std::string& rule,
                                                   std::uint64_t from_input) {
  if (!rule.empty() && check::find_rule(rule) == nullptr) {
    std::string known;
    for (const check::Rule& r : check::rules()) {
      known += (known.empty() ? "" : ", ") + std::string(r.name);
    }
    return Error{ErrorCode::kBadRequest, "there is no rule '" + rule + "'", "rules: " + known};
  }
  auto sabotage = std::make_shared<Sabotage>();
  sabotage->rule = rule;
  sabotage->from_input = from_input;
  return std::unique_ptr<Saboteur>(new Saboteur(std::move(sabotage)));
}

PolicyFactory Saboteur::wrap(PolicyFactory inner) const {
  return [inner = std::move(inner), sabotage = sabotage_](
             std::string_view name, const ClusterState& state, PolicyMemory& memory) -> Inner {
    auto policy = inner(name, state, memory);
    if (policy == nullptr) return nullptr;
    for (const PolicySabotage& known : kPolicies) {
      if (known.policy == policy->name())
        return known.lead(std::move(policy), state, memory, sabotage);
    }
    return lead_astray<SabotagedPolicy>(std::move(policy), state, memory, sabotage);
  };
}

void Saboteur::on_step(const Engine& engine, const Input& input, const Output& output) {
  ++sabotage_->inputs;
  if (sabotage_->done > 0 || !sabotage_->active(sabotage_->rule)) return;
  const Act act = find_act(sabotage_->rule);
  if (act == nullptr) return;
  auto& state = const_cast<ClusterState&>(engine.state());
  if (act({engine, input, const_cast<Output&>(output), state})) ++sabotage_->done;
}

}  // namespace weir
