// One attempt's process, from the moment it exists (attempt_server.h): commands of the agent come
// on one descriptor, reports go to another, messages of its own to stderr. It leads a session of
// its own, adopts every orphan of the user's commands (subreaper) and kills what is left before it
// ends. That of a map without reduces does not end with its task if nothing is left of it, neither
// a process nor a file: it waits for another map of its job. To make a process costs as much as
// such a task, and what keeps it apart from others (control group, mounts) as much again. Never
// another job's, and the agent looks at what was left, too. Called in a process with one thread,
// which ends here.
#pragma once

#include <csignal>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

struct TaskDescriptors {
  UniqueFd commands, reports, log;
};

// What it ignores, and its commands must not; all else is as it was at its start (AttemptStarter).
inline constexpr int kIgnoredSignals[] = {SIGPIPE, SIGXFSZ};

// The status that its process ends with when it has told how it went.
inline constexpr int kLeftScratchEmpty = 0, kLeftScratch = 3;

[[noreturn]] void run_task(TaskDescriptors descriptors);

}  // namespace weir::tasktracker
