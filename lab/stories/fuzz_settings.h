// Random but valid settings for a property run: a tree of at least three queues with guarantees in
// percent, in slots or unsaid, and whatever else a queue may be set to; pools as in fuzz_pools.h.
// New settings of the same seed keep most names, so that a change while running is taken more often
// than not. Pure but for the dice.
#pragma once

#include <memory>

#include "fair/fair_settings.h"
#include "jobqueue/model/settings.h"
#include "lab/kit/dice.h"

namespace weir {

std::shared_ptr<Settings> draw_settings(Dice& dice);
// The same queues, set differently; now and then another tree.
std::shared_ptr<Settings> redraw_settings(Dice& dice, const Settings& before);
// Whether and when stragglers have second attempts: in half of the draws never.
void draw_speculation(Dice& dice, Settings& settings);
// The section that every drawn settings have.
const FairSettings& fair_section(const Settings& settings);
// The same without maximums: a job whose task is wider than its queue's or pool's maximum waits for
// this.
std::shared_ptr<Settings> without_maximums(const Settings& settings);

}  // namespace weir
