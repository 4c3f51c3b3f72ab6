// `weir conf check | diff | apply | import`; conf_history.h has the rest. check is local: the very
// reader of the daemon, all findings at once, each a line `file:line:column: what is wrong, what is
// allowed` on stderr, exit code 2. diff and apply send the file's text to the JobTracker, which
// checks it against its live state too. One thread.
#pragma once

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

void add_conf_commands(CLI::App& app, Context& context);

// What `weir conf apply` does with a file's text. The exit code.
int apply_settings(Context& context, const NamedSettings& file);

}  // namespace weir::cli
