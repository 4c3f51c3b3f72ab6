// `weir local --stop DIR` and `--restart-jobtracker DIR`: what can be done to a local cluster that
// --keep left running. Both return an exit code. One thread.
#pragma once

#include <string>

#include "cli/context.h"

namespace weir::cli {

// Ends everything, also a JobTracker that was started again since, by command or by hand.
int stop_local(Context& context, const std::string& directory);

// Ends the JobTracker if it lives, and starts it with the same settings and store on the same
// ports. Trackers and what they run go on meanwhile. Waits until it listens.
int restart_local_jobtracker(Context& context, const std::string& directory);

}  // namespace weir::cli
