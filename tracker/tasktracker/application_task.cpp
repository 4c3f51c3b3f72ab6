// A task of an application: one command, whose stdout and stderr are its logs.
#include <array>

#include "tracker/tasktracker/bounded_log.h"
#include "tracker/tasktracker/task_context.h"
#include "tracker/tasktracker/task_environment.h"

namespace weir::tasktracker {

Status run_application(TaskContext& task) {
  if (!task.spec.application.peers.empty()) {
    const Status written = write_whole_file(peers_file(task.spec), task.spec.application.peers);
    if (!written) return written;
  }
  BoundedLog log(task.spec.log_dir + "/stdout", task.spec.log_stream_mb << 20);
  std::array<char, 64 * 1024> buffer;
  CommandStreams streams;
  streams.errors = &task.errors;
  streams.moved = [&task] { task.control.moved(); };
  if (task.control.served_by_caller()) {
    streams.watched = task.control.line();
    streams.watch = [&task] { task.control.serve_now(); };
  }
  streams.space = [&buffer]() -> Result<std::span<char>> { return std::span<char>(buffer); };
  streams.commit = [&](std::size_t bytes) -> Status {
    log.append({buffer.data(), bytes});
    return Ok{};
  };
  return run_command(task.command("command", task.spec.application.command), streams);
}

}  // namespace weir::tasktracker
