#include "tracker/tasktracker/process_table.h"

#include <dirent.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kMostEnvironment = 4u << 20;

}  // namespace

std::optional<ProcessInfo> process_info(pid_t pid) {
  const auto text = read_system_file("/proc/" + std::to_string(pid) + "/stat", 65536);
  if (!text) return std::nullopt;
  // The second field is the name in parentheses and may contain anything.
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessInfo info;
  info.pid = pid;
  char state = 0;
  unsigned long long start = 0;
  const int fields =
      std::sscanf(text->c_str() + name_end + 1,
                  " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &state, &info.parent, &info.group, &info.session, &start);
  if (fields != 5) return std::nullopt;
  info.start_ticks = start;
  info.zombie = state == 'Z' || state == 'X';
  return info;
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) return processes;
  while (const dirent* entry = ::readdir(proc.get())) {
    char* end = nullptr;
    const long pid = std::strtol(entry->d_name, &end, 10);
    if (pid <= 0 || *end != 0) continue;
    if (auto info = process_info(static_cast<pid_t>(pid))) processes.push_back(*info);
  }
  return processes;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const ProcessInfo& process : all_processes()) {
    if (process.parent == parent) children.push_back(process.pid);
  }
  return children;
}

bool is_childless(pid_t process) {
  const std::string number = std::to_string(process);
  const auto text = read_system_file("/proc/" + number + "/task/" + number + "/children", 65536);
  return text.ok() && text->empty();
}

bool has_environment(pid_t pid, std::string_view entry) {
  const auto text = read_system_file("/proc/" + std::to_string(pid) + "/environ", kMostEnvironment);
  if (!text) return false;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (rest.substr(0, end) == entry) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace weir::tasktracker
