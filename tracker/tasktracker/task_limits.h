// The limits of one user's command, set between fork and exec: system calls only. And which
// processes the kernel kills first when the machine is out of memory: commands, then their
// attempt's own process, then whoever has no such mark, as the daemons.
#pragma once

#include <cstdint>
#include <string>

#include "conf/daemon_settings.h"

namespace weir::tasktracker {

inline constexpr int kAttemptOomScore = 500;
inline constexpr int kCommandOomScore = 1000;

// Of this process; a higher score stays.
void raise_oom_score(int score);
// `memory_mb`: address space of a process, 0 for none.
void limit_command(const TaskSettings& settings, std::int64_t memory_mb);

// What a command's end by this signal, or status of a shell, has to do with a limit; often nothing.
std::string limit_note(const TaskSettings& settings, bool by_signal, int number);

}  // namespace weir::tasktracker
