// How a tracker keeps its attempts apart, as far as one user id and the machine allow: found out
// once at its start, put into each attempt's spec, and told in a line for each protection. What is
// not active is told with its reason. Belongs to the agent's thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tracker/tasktracker/cgroups.h"
#include "tracker/tasktracker/job_disk.h"
#include "tracker/tasktracker/task_spec.h"
#include "tracker/tasktracker/tasktracker.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

class Isolation {
 public:
  Isolation() = default;
  // The directories must be there.
  Isolation(const TaskTrackerOptions& options, const WorkDirs& dirs, const JobDisk& job_disk);

  std::vector<std::string> lines() const;  // "cgroup: v1 memory, pids, cpu"

  // Completes the attempt's spec but for its group.
  void protect(TaskSpec& spec) const;
  // And with a group for it: a new one, or one that an attempt of the same job has given back.
  Result<AttemptCgroup> prepare(TaskSpec& spec);
  // Of an attempt that has succeeded and left nobody in it. False: it is to be removed, for it has
  // met its bounds, which its counters go on saying, or there is none.
  bool give_back(JobId job, const AttemptCgroup& group, const CgroupEvents& events);
  // Nobody takes these any more; they are to be removed.
  std::vector<AttemptCgroup> drop(JobId job);
  // What an attempt of this spec met of its bounds, for people; mostly nothing.
  std::string note_of(TaskKind kind, const CgroupEvents& events) const;
  void end() const { cgroups_.remove_own(); }

 private:
  std::int64_t memory_limit_mb(const TaskSpec& spec) const;

  TaskSettings task_;
  LogSettings log_;
  std::string job_disk_;
  WorkDirs dirs_;
  Cgroups cgroups_;
  std::map<JobId, std::vector<AttemptCgroup>> spare_;
  std::string mounts_;  // why not; empty: active
};

// The runner's part, before anything of the user's runs: into the group, and the others out of
// sight.
Status confine_attempt(const TaskSpec& spec);
// The same process for another attempt of the job, which has the directories of the one before
// under its own name; outside that has happened already.
Status confine_next(const TaskSpec& before, const TaskSpec& spec);

}  // namespace weir::tasktracker
