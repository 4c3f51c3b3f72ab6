// Reads /proc: who is whose child, and which processes carry a given environment variable. Used to
// sweep what a user's command left behind, after a kill and at the start of a tracker. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::tasktracker {

struct ProcessInfo {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  std::uint64_t start_ticks = 0;  // since boot: tells a process from a later one with its number
  bool zombie = false;
};

std::optional<ProcessInfo> process_info(pid_t pid);
std::vector<ProcessInfo> all_processes();
std::vector<pid_t> children_of(pid_t parent);
// Of a process with one thread; false as well where the kernel does not say.
bool is_childless(pid_t process);
// Does the process have exactly `NAME=value` in the environment it was started with?
bool has_environment(pid_t pid, std::string_view entry);

}  // namespace weir::tasktracker
