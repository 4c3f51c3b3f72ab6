// `weir-lab life-cycles`: the engine's life cycles as pictures, and those of the docs drawn again.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_life_cycles_command(CLI::App& app, Context& context);

}  // namespace weir::cli
