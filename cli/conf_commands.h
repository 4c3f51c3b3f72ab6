// `weir conf check | diff | apply`. check is local: the very reader of the daemon, all findings at
// once, each a line `file:line:column: what is wrong, what is allowed` on stderr, exit code 2. diff
// and apply send the file's text to the JobTracker, which checks it against its live state too. One
// thread.
#pragma once

#include "cli/context.h"

namespace weir::cli {

void add_conf_commands(CLI::App& app, Context& context);

}  // namespace weir::cli
