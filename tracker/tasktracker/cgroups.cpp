#include "tracker/tasktracker/cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "tracker/tasktracker/attempt_cgroup_files.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kMostProcText = 4u << 20;
constexpr const char* kAll[] = {"memory", "pids", "cpu"};

// FNV-1a, as 16 hexadecimal digits.
std::string digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

Status make_group(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0755) == 0 || errno == EEXIST) return Ok{};
  return system_error(directory);
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The controllers that a file names, as they are or as they were asked for.
std::vector<std::string> listed_in(const std::string& path) {
  std::string text = " " + read_control(path) + " ";
  std::replace(text.begin(), text.end(), '+', ' ');
  std::vector<std::string> words;
  for (const char* word : kAll) {
    if (text.find(std::string(" ") + word + " ") != std::string::npos) words.push_back(word);
  }
  return words;
}

// Only a group without processes of its own hands controllers down; the root of the hierarchy is
// exempt. If the tracker is alone in its group it goes one down itself.
void hand_down(const std::string& group, const std::vector<std::string>& controllers) {
  std::string order;
  for (const std::string& controller : controllers) order += "+" + controller + " ";
  const std::string file = group + "/cgroup.subtree_control";
  if (write_control(file, order).ok()) return;
  if (read_control(group + "/cgroup.procs") != std::to_string(::getpid())) return;
  const std::string below = group + "/weir-tracker";
  if (!make_group(below).ok() || !write_control(below + "/cgroup.procs", "0").ok()) return;
  (void)write_control(file, order).ok();  // what came of it is read back
}

}  // namespace

Cgroups::Cgroups(const CgroupPlaces& places, const std::string& work_dir)
    : version_(places.version) {
  const std::string name = "weir-" + digest(work_dir);
  for (const CgroupPlace& place : places.places) {
    if (places.version == 1 && !add_v1(place, name)) break;
    if (places.version == 2) add_v2(place, name);
  }
  if (!problem_.empty()) {
    remove_own();
    parents_.clear();
    mounts_.clear();
    how_ = "none: " + problem_;
    return;
  }
  if (parents_.empty()) {
    how_ = "none: no control group file system is mounted here";
    return;
  }
  std::vector<std::string> controllers;
  for (const char* each : kAll) {
    if (std::any_of(parents_.begin(), parents_.end(),
                    [&](const Parent& parent) { return has(parent.controllers, each); }))
      controllers.push_back(each);
  }
  how_ = "v" + std::to_string(places.version) + " " +
         (controllers.empty() ? "without limits: " + places.places[0].directory +
                                    " hands down none of memory, pids, cpu"
                              : joined(controllers));
  sweep();
}

Cgroups Cgroups::of_this_process(const std::string& work_dir) {
  const auto self = read_system_file("/proc/self/cgroup", kMostProcText);
  const auto mounts = read_system_file("/proc/self/mountinfo", kMostProcText);
  return Cgroups(self && mounts ? cgroup_places(*self, *mounts) : CgroupPlaces{}, work_dir);
}

bool Cgroups::add_v1(const CgroupPlace& place, const std::string& name) {
  const std::string own = place.directory + "/" + name;
  if (auto made = make_group(own); !made) {
    problem_ = made.error().message;
    return false;
  }
  parents_.push_back({own, place.controllers});
  mounts_.push_back(place.mount);
  return true;
}

void Cgroups::add_v2(const CgroupPlace& place, const std::string& name) {
  const std::string own = place.directory + "/" + name;
  hand_down(place.directory, listed_in(place.directory + "/cgroup.controllers"));
  if (auto made = make_group(own); !made) {
    problem_ = made.error().message;
    return;
  }
  hand_down(own, listed_in(own + "/cgroup.controllers"));
  parents_.push_back({own, listed_in(own + "/cgroup.subtree_control")});
  mounts_.push_back(place.mount);
}

Result<AttemptCgroup> Cgroups::make(const std::string& attempt, const CgroupLimits& limits) const {
  AttemptCgroup group{{}, limits, version_, "", ""};
  for (const Parent& parent : parents_) {
    const std::string directory = parent.directory + "/" + attempt;
    const AttemptCgroup earlier{{directory}, {}};
    if (::access(directory.c_str(), F_OK) == 0 && earlier.kill_all()) (void)earlier.remove();
    Status done = make_group(directory);
    group.directories.push_back(directory);
    if (has(parent.controllers, "memory")) group.memory = directory;
    if (has(parent.controllers, "pids")) group.pids = directory;
    if (done.ok() && has(parent.controllers, "memory"))
      done = set_memory_limit(directory, version_, limits.memory_mb);
    if (done.ok() && has(parent.controllers, "pids") && limits.processes > 0)
      done = write_control(directory + "/pids.max", std::to_string(limits.processes));
    if (done.ok() && has(parent.controllers, "cpu"))
      done = set_core_limit(directory, version_, limits.cores);
    if (!done.ok()) {
      (void)group.remove();
      return done.error();
    }
  }
  return group;
}

void Cgroups::sweep() const {
  for (const Parent& parent : parents_) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(parent.directory, error)) {
      std::error_code ignored;
      if (!entry.is_directory(ignored)) continue;
      const AttemptCgroup left{{entry.path()}, {}};
      (void)left.kill_all();
      (void)left.remove();
    }
  }
}

void Cgroups::remove_own() const {
  sweep();
  for (const Parent& parent : parents_) (void)::rmdir(parent.directory.c_str());
}

}  // namespace weir::tasktracker
