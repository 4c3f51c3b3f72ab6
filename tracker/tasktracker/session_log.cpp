#include "tracker/tasktracker/session_log.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "tracker/tasktracker/process_table.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kMostBytesRead = 64u << 20;

const std::string& boot_id() {
  static const std::string boot = [] {
    const auto text = read_system_file("/proc/sys/kernel/random/boot_id", 256);
    return text ? text->substr(0, text->find('\n')) : std::string("unknown");
  }();
  return boot;
}

}  // namespace

Status SessionLog::open(const std::string& path, std::size_t at_most_bytes) {
  path_ = path;
  at_most_bytes_ = at_most_bytes;
  return write_anew();
}

// Beside it and renamed in: a tracker that dies meanwhile leaves one of the two.
Status SessionLog::write_anew() {
  std::string text;
  for (const auto& [leader, line] : lines_) text += line;
  const std::string draft = path_ + ".new";
  auto file = create_anew(draft);
  if (!file) return file.error();
  if (auto written = write_all(file->get(), text, draft); !written) return written;
  if (::rename(draft.c_str(), path_.c_str()) != 0) return system_error(path_);
  file_ = std::move(*file);
  bytes_ = text.size();
  return Ok{};
}

void SessionLog::add(pid_t leader) {
  const auto info = process_info(leader);
  std::string line = std::to_string(leader) + " " + std::to_string(info ? info->start_ticks : 0) +
                     " " + boot_id() + "\n";
  bytes_ += line.size();
  lines_[leader] = line;
  // Should it fail, the mark in the environment does as well.
  if (file_.valid()) (void)write_all(file_.get(), line, path_).ok();
}

void SessionLog::remove(pid_t leader) {
  lines_.erase(leader);
  // Half of it at least is about the ended then.
  if (bytes_ > at_most_bytes_ && bytes_ > 2 * 64 * lines_.size()) (void)write_anew().ok();
}

std::map<pid_t, std::uint64_t> recorded_sessions(const std::string& path) {
  std::map<pid_t, std::uint64_t> sessions;
  const auto text = read_whole_file(path, kMostBytesRead);
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    int pid = 0;
    unsigned long long start = 0;
    char boot[128] = {};
    if (std::sscanf(line.c_str(), "%d %llu %127s", &pid, &start, boot) != 3) continue;
    if (pid <= 1 || boot != boot_id()) continue;
    // The number may belong to another process by now; a session that still has members keeps its
    // number.
    const auto now = process_info(pid);
    if (!now || now->start_ticks == start) sessions[pid] = start;
  }
  return sessions;
}

}  // namespace weir::tasktracker
