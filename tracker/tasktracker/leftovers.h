// What an earlier life of a tracker may have left: processes (when tracker and attempt were both
// killed hard) and directories. Processes are known by the WEIR_WORK_DIR in their environment, or
// by the session that was recorded in the attempt's `pid` file, checked by boot and start time so
// that nobody else's process is ever hit. Called once at the start, with the work directory locked.
#pragma once

#include <sys/types.h>

#include <string>

#include "jobqueue/result.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

inline constexpr const char* kWorkDirVariable = "WEIR_WORK_DIR";

// Notes the process (a session leader) that runs an attempt.
Status record_process(const std::string& attempt_dir, pid_t pid);

// Kills leftover processes; the number killed.
int kill_leftovers(const WorkDirs& dirs);
// Removes attempts and map outputs, and logs older than `log_keep_hours`.
Status clean_directories(const WorkDirs& dirs, std::int64_t log_keep_hours);

}  // namespace weir::tasktracker
