// An attempt's process' end of its line to the agent: commands come in, reports go out. The first
// command is the task itself: a line with a size, and so many bytes (task_spec_codec.h). A process
// that goes on after its task waits here for the next one. What was said to the task before and was
// not read by it is passed over then: the order to commit one output must never be taken for that
// of another. next_task() blocks; the rest is for any thread.
#pragma once

#include <optional>
#include <string>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

struct TaskLine {
  UniqueFd commands, reports;
  std::string unread;  // of commands
};

inline constexpr std::size_t kLongestCommand = 4096;

// What the agent writes.
std::string task_command(const TaskSpec& spec);
// Nothing: the agent has closed the line.
Result<std::optional<TaskSpec>> next_task(TaskLine& line);

}  // namespace weir::tasktracker
