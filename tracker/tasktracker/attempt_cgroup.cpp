// One attempt's control group: entering it, killing all that is in it, what it met of its bounds.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <sstream>

#include "tracker/tasktracker/attempt_cgroup_files.h"
#include "tracker/tasktracker/cgroups.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kMostText = 1u << 20;
constexpr int kMostKillRounds = 500;
constexpr int kMostRemoveRounds = 100;

std::int64_t number_in(const std::string& path) {
  std::int64_t value = 0;
  const std::string text = read_control(path);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;  // "max" is 0
}

// The number after the word in lines "word number".
std::int64_t entry_in(const std::string& path, const std::string& word) {
  std::istringstream lines(read_control(path));
  std::string name;
  std::int64_t value = 0;
  while (lines >> name >> value) {
    if (name == word) return value;
  }
  return 0;
}

const char* memory_events(int version) {
  return version == 1 ? "/memory.oom_control" : "/memory.events";
}

bool there(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace

Status write_control(const std::string& path, const std::string& text) {
  auto file = open_untrusted(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) return file.error();
  return write_all(file->get(), text, path);
}

std::string read_control(const std::string& path) {
  auto text = read_system_file(path, kMostText);
  if (!text) return "";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

Status set_memory_limit(const std::string& directory, int version, std::int64_t megabytes) {
  if (megabytes <= 0) return Ok{};
  const std::string bytes = std::to_string(megabytes << 20);
  const std::string file = version == 1 ? "/memory.limit_in_bytes" : "/memory.max";
  if (auto set = write_control(directory + file, bytes); !set) return set;
  // Without swap there is nothing to say of it.
  const std::string swap =
      directory + (version == 1 ? "/memory.memsw.limit_in_bytes" : "/memory.swap.max");
  if (there(swap)) (void)write_control(swap, version == 1 ? bytes : "0").ok();
  return Ok{};
}

// So much time of processors in each period.
Status set_core_limit(const std::string& directory, int version, std::int64_t cores) {
  constexpr std::int64_t kPeriodUs = 100'000;
  if (cores <= 0) return Ok{};
  const std::string quota = std::to_string(cores * kPeriodUs);
  if (version == 2)
    return write_control(directory + "/cpu.max", quota + " " + std::to_string(kPeriodUs));
  if (!there(directory + "/cpu.cfs_quota_us")) return Ok{};  // a kernel without bandwidth control
  return write_control(directory + "/cpu.cfs_quota_us", quota);
}

Status AttemptCgroup::enter() const {
  for (const std::string& directory : directories) {
    if (auto entered = write_control(directory + "/cgroup.procs", "0"); !entered) return entered;
  }
  return Ok{};
}

bool AttemptCgroup::is_empty() const {
  return std::all_of(directories.begin(), directories.end(), [](const std::string& directory) {
    return read_control(directory + "/cgroup.procs").empty();
  });
}

bool AttemptCgroup::has_only(pid_t process) const {
  // A number is read for less than a list is made, and nobody moves between groups.
  if (!pids.empty()) return read_control(pids + "/pids.current") == "1";
  const std::string number = std::to_string(process);
  return std::all_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    return read_control(directory + "/cgroup.procs") == number;
  });
}

bool AttemptCgroup::kill_all() const {
  for (int round = 0; round < kMostKillRounds; ++round) {
    bool anybody = false;
    for (const std::string& directory : directories) {
      std::istringstream pids(read_control(directory + "/cgroup.procs"));
      if (pids.str().empty()) continue;
      // No new ones while they are being killed.
      if (round == 0 && there(directory + "/pids.max"))
        (void)write_control(directory + "/pids.max", "0").ok();
      if (there(directory + "/cgroup.kill"))
        (void)write_control(directory + "/cgroup.kill", "1").ok();
      for (pid_t pid = 0; pids >> pid;) {
        if (pid <= 1 || pid == ::getpid()) continue;
        anybody = true;
        ::kill(pid, SIGKILL);
      }
    }
    if (!anybody) return true;
    ::usleep(2000);
  }
  return false;
}

CgroupEvents AttemptCgroup::events() const {
  CgroupEvents events;
  // How much it was matters only if it was too much, and to look costs as much again.
  if (!memory.empty() && entry_in(memory + memory_events(version), "oom_kill") > 0) {
    events.killed_for_memory = true;
    if (version == 1) {
      events.memory_peak_bytes = number_in(memory + "/memory.max_usage_in_bytes");
      events.memory_limit_bytes = number_in(memory + "/memory.limit_in_bytes");
    } else {
      events.memory_peak_bytes = number_in(memory + "/memory.peak");
      events.memory_limit_bytes = number_in(memory + "/memory.max");
    }
  }
  events.out_of_processes = !pids.empty() && entry_in(pids + "/pids.events", "max") > 0;
  return events;
}

bool AttemptCgroup::remove() const {
  for (int round = 0; round < kMostRemoveRounds; ++round) {
    bool gone = true;
    for (const std::string& directory : directories)
      gone &= ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
    if (gone) return true;
    ::usleep(5000);  // who was killed just now may not have left yet
  }
  return false;
}

}  // namespace weir::tasktracker
