// `weir shares --drf --total memory_mb=18432,vcores=9`: the shares of claimants, and of pools of
// them, in several dimensions, computed by the function of the policy (fair/drf_shares.h). The same
// input as of `weir shares`, but that demand, min and max are objects, and that an entry with
// `children` is a pool: it wants what they want, and they divide what it gets by its `policy`.
#pragma once

#include <string>

#include "cli/context.h"

namespace weir::cli {

// Reads standard input; `total` is what --total says. The exit code.
int drf_shares_of_input(Context& context, const std::string& total, bool table);

}  // namespace weir::cli
