// `weir shares --total N`: the fair shares of a list of claimants, read as JSON from standard input
// and computed by the very function of the fair policy (fair/shares.h). It talks to no JobTracker.
// Exit codes: 0, or 2 with one line that says what is wrong with the input.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_shares_command(CLI::App& app, Context& context);

}  // namespace weir::cli
