// The processes of a local cluster: started from this very binary, known by pid and start time (a
// pid alone may be somebody else's by tomorrow), ended in order with SIGTERM and, after a grace,
// SIGKILL. Unless they are to be kept, the kernel ends them when their parent dies, however it
// dies. `DIR/pids` lists those that are kept: `PID START_TICKS NAME` a line, the JobTracker first.
// One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::cli {

class InterruptScope;

struct LocalProcess {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // as in /proc/PID/stat
  std::string name;
  mutable std::optional<int> wait_status;  // of a child of ours, once alive() has seen its end
  friend bool operator==(const LocalProcess&, const LocalProcess&) = default;
};

struct SpawnOptions {
  std::string program;  // /proc/self/exe
  std::string name;
  std::vector<std::string> arguments;
  std::string directory;  // to work in
  std::string log;        // stdout and stderr are appended here
  bool keep = false;      // outlives this process
};

// In a session of its own, so that ^C at the terminal reaches the parent alone. Throws CliFailure.
LocalProcess spawn(const SpawnOptions& options, const InterruptScope& interrupt);
bool alive(const LocalProcess& process);
// "ended with exit code 1", "was killed by signal 9 (Killed)"; of one that is not alive.
std::string how_it_ended(const LocalProcess& process);
// The last first, so trackers go before their JobTracker. Names of those that had to be killed.
std::vector<std::string> stop_processes(const std::vector<LocalProcess>& processes,
                                        std::int64_t grace_ms);

// Whether the process has the file open: a pid that stands in a file may be of another machine or
// container, or long gone.
bool has_open(pid_t pid, const std::string& path);

std::string pids_text(const std::vector<LocalProcess>& processes);
std::vector<LocalProcess> parse_pids(const std::string& text);
std::optional<std::uint64_t> process_start_ticks(pid_t pid);  // nothing if it is gone or a zombie

}  // namespace weir::cli
