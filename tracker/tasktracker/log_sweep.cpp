#include "tracker/tasktracker/log_sweep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tracker/tasktracker/open_below.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/tree_size.h"

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kMostEntries = 100000;  // of one attempt's log; with more it is too large

struct Log {
  std::string path, job;
  std::int64_t changed_ms = 0, bytes = 0;
  bool running = false, gone = false;
};

std::int64_t changed_ms(const struct stat& found) {
  return std::int64_t{found.st_ctim.tv_sec} * 1000 + found.st_ctim.tv_nsec / 1000000;
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const UniqueFd directory = open_directory_below(AT_FDCWD, path.c_str());
  const Listing entries = directory.valid() ? list_directory(directory.get()) : nullptr;
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

Log look_at(const std::string& job, const std::string& path) {
  Log log{path, job};
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return log;
  log.changed_ms = changed_ms(found);
  if (S_ISDIR(found.st_mode)) {
    for (const std::string& name : names_in(path)) {
      if (::lstat((path + "/" + name).c_str(), &found) == 0)
        log.changed_ms = std::max(log.changed_ms, changed_ms(found));
    }
  }
  const TreeSize size = tree_size(path, kMostEntries);
  log.bytes = size.entries > kMostEntries ? INT64_MAX / 4096 : size.bytes;
  return log;
}

class Sweep {
 public:
  Sweep(const std::string& logs, const std::set<std::string>& running) {
    for (const std::string& job : names_in(logs)) {
      const std::string path = logs + "/" + job;
      const auto attempts = names_in(path);
      for (const std::string& attempt : attempts) {
        logs_.push_back(look_at(job, path + "/" + attempt));
        logs_.back().running = running.contains(attempt);
      }
      // No directory, or an empty one, which an attempt may be about to use: goes when it is old.
      if (attempts.empty()) logs_.push_back(look_at(job, path));
    }
    std::stable_sort(logs_.begin(), logs_.end(),
                     [](const Log& a, const Log& b) { return a.changed_ms < b.changed_ms; });
    for (const Log& log : logs_) of_job_[log.job] += log.bytes, total_ += log.bytes;
  }

  SweptLogs run(const LogSettings& bounds, std::int64_t now_ms) {
    for (Log& log : logs_) {
      const bool old = bounds.keep_ms != kNever && log.changed_ms < now_ms - bounds.keep_ms;
      if (old || of_job_[log.job] > bounds.job_mb << 20) remove(log);
    }
    for (Log& log : logs_) {
      if (total_ > bounds.total_mb << 20) remove(log);
    }
    swept_.kept_bytes = total_;
    return swept_;
  }

 private:
  void remove(Log& log) {
    if (log.running || log.gone || !remove_tree(log.path)) return;
    log.gone = true;
    of_job_[log.job] -= log.bytes;
    total_ -= log.bytes;
    ++swept_.removed;
    swept_.removed_bytes += log.bytes;
  }

  std::vector<Log> logs_;  // oldest first
  std::map<std::string, std::int64_t> of_job_;
  std::int64_t total_ = 0;
  SweptLogs swept_;
};

}  // namespace

SweptLogs sweep_logs(const std::string& logs, const LogSettings& bounds, std::int64_t wall_now_ms,
                     const std::set<std::string>& running) {
  return Sweep(logs, running).run(bounds, wall_now_ms);
}

}  // namespace weir::tasktracker
