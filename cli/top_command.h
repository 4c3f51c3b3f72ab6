// `weir top`: the cluster on the terminal as it is now, with keys (live/top_draw.h has the screen).
// The terminal is given back however it ends; signals are read, not struck by. Two threads besides
// this one keep the figures current.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_top_command(CLI::App& app, Context& context);

}  // namespace weir::cli
