#include "tracker/tasktracker/leftovers.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/session_log.h"

namespace weir::tasktracker {
namespace {

constexpr int kMostSweeps = 20;
constexpr int kMostPutAside = 10000;

}  // namespace

int kill_leftovers(const WorkDirs& dirs) {
  const std::string mark = std::string(kWorkDirVariable) + "=" + dirs.root;
  const auto sessions = recorded_sessions(dirs.sessions());
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
