// `weir conf show|history|revert`: the settings in force, where each comes from, and those before.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace weir::cli {

void add_conf_history_commands(CLI::App& group, Context& context);

}  // namespace weir::cli
