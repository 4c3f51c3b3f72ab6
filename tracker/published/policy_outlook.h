// What each policy would give each queue and pool as things stand: the one that rules, and the
// others made for the purpose from the same state, so that an administrator can compare before
// switching. On the engine's thread; costs as much as a switch.
#pragma once

#include <vector>

#include "jobqueue/engine/engine.h"
#include "views/policy_view.h"

namespace weir {

std::vector<OutlookView> policy_outlooks(const Engine& engine);
// Of the one that rules alone, which costs a walk over its queues or pools.
OutlookView ruling_outlook(const Engine& engine);

}  // namespace weir
