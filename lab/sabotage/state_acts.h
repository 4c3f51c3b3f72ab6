// Acts on the state that break what holds under every policy: sums, second attempts, pools of
// trackers, ends of jobs.
#pragma once

#include "lab/sabotage/sabotage.h"

namespace weir {

const Acts& state_acts();

}  // namespace weir
