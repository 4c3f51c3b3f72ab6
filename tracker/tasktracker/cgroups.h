// A control group for each attempt, below one of the tracker's own whose name follows from its work
// directory: so a later life finds what an earlier one left. The group bounds an attempt's memory
// and processes, gives it a share of the processor like every other's, and is the sure way to find
// all of its processes, wherever they have gone. Everything may fail for want of rights; then
// attempts run without, and `how()` says so. Owned by the agent's thread; an AttemptCgroup is a
// list of paths, for any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/cgroup_places.h"

namespace weir::tasktracker {

struct CgroupLimits {
  std::int64_t memory_mb = 0;  // 0: none
  std::int64_t processes = 0;  // likewise
  std::int64_t cores = 0;      // likewise
};

// What an attempt met of its bounds.
struct CgroupEvents {
  bool killed_for_memory = false, out_of_processes = false;
  std::int64_t memory_peak_bytes = 0, memory_limit_bytes = 0;
  bool any() const { return killed_for_memory || out_of_processes; }
};

// The directories of one attempt's group: one for each hierarchy.
struct AttemptCgroup {
  std::vector<std::string> directories;
  CgroupLimits limits;
  int version = 0;
  std::string memory, pids;  // those of the directories that count what it meets; empty: none does

  Status enter() const;  // this process
  bool is_empty() const;
  bool has_only(pid_t process) const;  // one that is in it, of one thread
  // Until nobody is in it; false: somebody does not end.
  bool kill_all() const;
  CgroupEvents events() const;
  bool remove() const;  // true: it is gone
};

class Cgroups {
 public:
  Cgroups() = default;  // none, because nobody asked
  // Makes the tracker's own group, and empties and removes what is in it.
  Cgroups(const CgroupPlaces& places, const std::string& work_dir);
  static Cgroups of_this_process(const std::string& work_dir);

  bool active() const { return !parents_.empty(); }
  const std::string& how() const { return how_; }  // "v1 memory, pids, cpu", "none: ..."
  std::vector<std::string> mounts() const { return mounts_; }

  Result<AttemptCgroup> make(const std::string& attempt, const CgroupLimits& limits) const;
  void remove_own() const;

 private:
  struct Parent {
    std::string directory;
    std::vector<std::string> controllers;
  };
  bool add_v1(const CgroupPlace& place, const std::string& name);
  void add_v2(const CgroupPlace& place, const std::string& name);
  void sweep() const;

  int version_ = 0;
  std::vector<Parent> parents_;
  std::vector<std::string> mounts_;
  std::string how_ = "none: off (tracker.task_cgroups)";
  std::string problem_;
};

}  // namespace weir::tasktracker
