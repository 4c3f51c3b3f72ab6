// `weir-lab sim --break RULE SCENARIO`: as `weir sim`, with a rule broken on purpose
// (lab/sabotage/saboteur.h), to see it caught; `--compare`: with every choice compared
// (lab/compared_policies.h).
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_broken_sim_command(CLI::App& app, Context& context);

}  // namespace weir::cli
