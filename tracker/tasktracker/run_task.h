// One attempt's process, from the moment it exists (attempt_server.h): commands of the agent come
// on one descriptor, reports go to another, messages of its own to stderr. It leads a session of
// its own, adopts every orphan of the user's commands (subreaper) and kills what is left before it
// ends. Called in a process with one thread, which ends here.
#pragma once

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

struct TaskDescriptors {
  UniqueFd commands, reports, log;
  UniqueFd spec;  // task_spec_codec.h, from its first byte
};

// The status that its process ends with when it has told how it went.
inline constexpr int kLeftScratchEmpty = 0, kLeftScratch = 3;

[[noreturn]] void run_task(TaskDescriptors descriptors);

}  // namespace weir::tasktracker
