#include "tracker/tasktracker/leftovers.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/process_table.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSweeps = 20;
constexpr int kMostPutAside = 10000;

std::string boot_id() {
  auto text = read_system_file("/proc/sys/kernel/random/boot_id", 256);
  return text ? text->substr(0, text->find('\n')) : "unknown";
}

// Session id -> start of its leader, of the attempts that were running.
std::map<pid_t, std::uint64_t> recorded_sessions(const WorkDirs& dirs) {
  std::map<pid_t, std::uint64_t> sessions;
  const std::string boot = boot_id();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dirs.attempts(), error)) {
    const auto text = read_whole_file(entry.path() / "pid", 256);
    int pid = 0;
    unsigned long long start = 0;
    char recorded_boot[128] = {};
    if (!text || std::sscanf(text->c_str(), "%d %llu %127s", &pid, &start, recorded_boot) != 3)
      continue;
    if (pid <= 1 || boot != recorded_boot) continue;
    // The number may belong to another process by now; a session that still has members keeps its
    // number.
    const auto now = process_info(pid);
    if (!now || now->start_ticks == start) sessions[pid] = start;
  }
  return sessions;
}

}  // namespace

Status record_process(const std::string& attempt_dir, pid_t pid) {
  static const std::string boot = boot_id();
  const auto info = process_info(pid);
  return write_whole_file(
      attempt_dir + "/pid",
      std::to_string(pid) + " " + std::to_string(info ? info->start_ticks : 0) + " " + boot + "\n");
}

int kill_leftovers(const WorkDirs& dirs) {
  const std::string mark = std::string(kWorkDirVariable) + "=" + dirs.root;
  auto sessions = recorded_sessions(dirs);
  int killed = 0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    int found = 0;
    for (const ProcessInfo& process : all_processes()) {
      if (process.zombie || process.pid == ::getpid() || process.pid <= 1) continue;
      const auto session = sessions.find(process.session);
      const bool ours = (session != sessions.end() && process.start_ticks >= session->second) ||
                        has_environment(process.pid, mark);
      if (!ours || ::kill(process.pid, SIGKILL) != 0) continue;
      ++found;
    }
    if (found == 0) break;
    if (sweep == 0) killed = found;
    ::usleep(20000);  // they need a moment to go; the next sweep finds who was born meanwhile
  }
  return killed;
}

namespace {

Status put_aside(const WorkDirs& dirs, const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return remove_tree(path);  // a link
  (void)::unlink(dirs.aside().c_str());  // of an attempt that made something of that name
  if (auto made = make_directories(dirs.aside()); !made) return made;
  for (int number = 0; number < kMostPutAside; ++number) {
    const std::string to = dirs.aside() + "/" + std::to_string(number);
    if (::access(to.c_str(), F_OK) == 0) continue;
    if (::rename(path.c_str(), to.c_str()) == 0) return Ok{};
    break;
  }
  const Error problem = system_error(path);
  return remove_tree(path).ok() ? Status(Ok{}) : Status(problem);
}

}  // namespace

Status fresh_directories(const WorkDirs& dirs, const Complain& complain) {
  for (const std::string& path : {dirs.attempts(), dirs.outputs()}) {
    if (auto moved = put_aside(dirs, path); !moved) complain(moved.error());
  }
  for (const std::string& path : {dirs.attempts(), dirs.outputs(), dirs.logs()}) {
    if (auto made = make_directories(path); !made) return made;
  }
  return Ok{};
}

bool remove_put_aside(const WorkDirs& dirs, const Complain& complain) {
  const auto removed = remove_tree(dirs.aside());
  if (!removed) complain(removed.error());
  return removed.ok();
}

}  // namespace weir::tasktracker
