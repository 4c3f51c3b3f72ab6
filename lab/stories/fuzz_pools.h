// Random but valid settings of the fair policy for a property run: a tree of pools, some of them
// named like queues, with weights, shares, modes, timeouts, limits and budgets, and whatever else
// the policy may be set to. Timeouts are short, so that a story comes to what follows them. Pure
// but for the dice.
#pragma once

#include <memory>
#include <string>

#include "fair/fair_settings.h"
#include "lab/kit/dice.h"

namespace weir {

// Jobs of a story may say which team they are of.
inline constexpr const char* kTeamProperty = "team";

std::shared_ptr<FairSettings> draw_fair(Dice& dice);
// Mostly the same pools, set differently.
std::shared_ptr<FairSettings> redraw_fair(Dice& dice, const FairSettings& before);
// A pool that a job may name: mostly one that is declared, else one that appears on demand.
std::string draw_pool_name(Dice& dice, const FairSettings& settings);
// Without maximums: a task that is wider than its pool's waits for this.
std::shared_ptr<FairSettings> without_maximums(const FairSettings& before);

}  // namespace weir
