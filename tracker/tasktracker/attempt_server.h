// The hidden `weir serve-attempts`: a process with one thread, started once by a tracker, that
// makes the processes of attempts by forking itself, so that none of them has to be loaded, linked
// and initialised anew. It is asked over descriptor 3 and knows nothing of tasks: what an attempt
// is to do comes through a pipe whose end is handed through, read by the new process alone. So its
// memory, of which every attempt has a copy, holds nothing of any job. The new process is the
// tracker's own child (CLONE_PARENT), which waits for it and kills it as if it had started it
// itself. The server ends when the tracker does, stopped or not. It cannot be looked into or traced
// by tasks that run under the same user id (PR_SET_DUMPABLE).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace weir {

int serve_attempts_main();  // the exit status

namespace tasktracker {

// A request is one byte with these descriptors, in their order: commands, reports, log.
constexpr int kRequestDescriptors = 3;
constexpr int kAttemptSocket = 3;  // the number that the server has it under

struct AttemptServerReply {
  pid_t process = -1;
  std::int32_t error_number = 0;  // if there is none
};

}  // namespace tasktracker
}  // namespace weir
