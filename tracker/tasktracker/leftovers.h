// What an earlier life of a tracker may have left: processes (when tracker and attempt were both
// killed hard) and directories. Processes are known by the WEIR_WORK_DIR in their environment, or
// by the session that was recorded (session_log.h), checked by boot and start time so that nobody
// else's process is ever hit. The first is for the start,
// with the work directory locked; the removing may take long and fail, and is tried again later.
#pragma once

#include <functional>
#include <string>

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

inline constexpr const char* kWorkDirVariable = "WEIR_WORK_DIR";

// Kills leftover processes; the number killed.
int kill_leftovers(const WorkDirs& dirs);
// Fresh directories in the place of attempts and map outputs, which are put aside; also where some
// of it cannot be removed. What could not even be moved is told to `complain`.
using Complain = std::function<void(const Error&)>;
Status fresh_directories(const WorkDirs& dirs, const Complain& complain);
// Removes what was put aside, for as long as it takes; true: nothing is left.
bool remove_put_aside(const WorkDirs& dirs, const Complain& complain);

}  // namespace weir::tasktracker
