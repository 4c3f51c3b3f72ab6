// What people are told of claims. Pure functions.
#pragma once

#include <string>

#include "capacity/capacity_settings.h"
#include "jobqueue/model/claims.h"

namespace weir {

// "kills in 23s at the latest", or why it does not. `serves`: what no tracker can do for a claim
// that is unservable, "free 2 map slots".
std::string when_it_kills(const Claim& claim, const std::string& serves,
                          CapacitySettings::Preemption preemption, TimeMs now);

}  // namespace weir
