#include "tracker/tasktracker/isolation.h"

#include <unistd.h>

#include <algorithm>

#include "tracker/tasktracker/hidden_directories.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_limits.h"

namespace weir::tasktracker {
namespace {

// Of the attempt's own process, besides the buffer that the job asks for.
constexpr std::int64_t kOwnMemoryMb = 128;

std::string in_mb(std::int64_t bytes) {
  return std::to_string(bytes >> 20) + " MB";
}

std::string number_or_none(std::int64_t number) {
  return number == 0 ? "any number of" : std::to_string(number);
}

HiddenDirectories hidden_from(const WorkDirs& dirs) {
  return {dirs.root, {dirs.attempts(), dirs.outputs(), dirs.logs()}, {}, {}};
}

}  // namespace

Isolation::Isolation(const TaskTrackerOptions& options, const WorkDirs& dirs,
                     const JobDisk& job_disk)
    : task_(options.task), log_(options.log), job_disk_(job_disk.text()), dirs_(dirs) {
  if (task_.cgroups) cgroups_ = Cgroups::of_this_process(dirs.root);
  HiddenDirectories hidden = hidden_from(dirs);
  hidden.read_only = cgroups_.mounts();
  mounts_ = task_.mounts ? why_not_hidden(hidden) : "off (tracker.task_mounts)";
}

std::vector<std::string> Isolation::lines() const {
  std::string limits = std::to_string(task_.open_files) + " open files";
  if (task_.file_mb > 0) limits += ", " + std::to_string(task_.file_mb) + " MB a file";
  if (task_.user_processes > 0) {
    limits += ", " + std::to_string(task_.user_processes) + " processes of the user id" +
              (::geteuid() == 0 ? " (root is exempt)" : "");
  }
  limits += task_.core_mb > 0 ? ", core dumps of " + std::to_string(task_.core_mb) + " MB"
                              : ", no core dumps";
  std::string cgroup = "cgroup: " + cgroups_.how();
  if (cgroups_.active()) {
    cgroup += "; " + number_or_none(task_.processes) + " processes, memory as the job asks, else " +
              (task_.memory_mb > 0 ? std::to_string(task_.memory_mb) + " MB" : "without limit");
  }
  return {
      cgroup,
      "mounts: " +
          (mounts_.empty() ? "other attempts' directories are out of sight" : "none: " + mounts_),
      "out of memory: tasks are killed before daemons",
      "limits: " + limits,
      "disk: " + job_disk_,
      "logs: " + std::to_string(log_.stream_mb) + " MB a stream, " + std::to_string(log_.job_mb) +
          " MB a job, " + std::to_string(log_.total_mb) + " MB in all, " +
          (log_.keep_ms == kNever ? "of any age" : "for " + format_duration(log_.keep_ms)),
      "environment: " + passed_on_text(task_.environment)};
}

std::int64_t Isolation::memory_limit_mb(const TaskSpec& spec) const {
  if (spec.of_application()) return spec.application.memory_mb;
  const std::int64_t asked = spec.memory_mb > 0 ? spec.memory_mb : task_.memory_mb;
  return asked > 0 ? asked + spec.sort_memory_mb + kOwnMemoryMb : 0;
}

void Isolation::protect(TaskSpec& spec) const {
  spec.settings = task_;
  spec.log_stream_mb = log_.stream_mb;
  if (mounts_.empty()) {
    spec.hidden_root = dirs_.root;
    spec.sealed_mounts = cgroups_.mounts();
  }
}

Result<AttemptCgroup> Isolation::prepare(TaskSpec& spec) {
  protect(spec);
  const CgroupLimits limits{memory_limit_mb(spec), task_.processes, spec.application.vcores};
  auto& spare = spare_[spec.id.task.job];
  const auto found = std::find_if(spare.begin(), spare.end(), [&](const AttemptCgroup& each) {
    return each.limits.memory_mb == limits.memory_mb && each.limits.cores == limits.cores;
  });
  auto group = found == spare.end() ? cgroups_.make(attempt_name(spec.id), limits)
                                    : Result<AttemptCgroup>(std::move(*found));
  if (found != spare.end()) spare.erase(found);
  if (group) spec.cgroups = group->directories;
  return group;
}

bool Isolation::give_back(JobId job, const AttemptCgroup& group, const CgroupEvents& events) {
  if (group.directories.empty() || events.killed_for_memory || events.out_of_processes)
    return false;
  spare_[job].push_back(group);
  return true;
}

std::vector<AttemptCgroup> Isolation::drop(JobId job) {
  const auto found = spare_.find(job);
  if (found == spare_.end()) return {};
  auto groups = std::move(found->second);
  spare_.erase(found);
  return groups;
}

std::string Isolation::note_of(TaskKind kind, const CgroupEvents& events) const {
  std::string note;
  if (events.killed_for_memory) {
    note += "; killed for memory: the attempt's processes took " + in_mb(events.memory_peak_bytes) +
            ", its limit is " + in_mb(events.memory_limit_bytes) +
            (is_group(kind) ? " (its container)"
                            : " (what the job asks for, its sort memory and " +
                                  std::to_string(kOwnMemoryMb) + " MB)");
  }
  if (events.out_of_processes) {
    note += "; it reached its limit of " + std::to_string(task_.processes) +
            " processes (tracker.task_processes)";
  }
  return note;
}

Status confine_attempt(const TaskSpec& spec) {
  raise_oom_score(kAttemptOomScore);
  if (auto entered = AttemptCgroup{spec.cgroups, {}}.enter(); !entered) return entered;
  if (spec.hidden_root.empty()) return Ok{};
  HiddenDirectories hidden = hidden_from(WorkDirs{spec.hidden_root});
  for (const std::string& path : {spec.attempt_dir, spec.map_output_dir, spec.log_dir}) {
    if (!path.empty()) hidden.kept.push_back(path);
  }
  hidden.read_only = spec.sealed_mounts;
  return hide_directories(hidden);
}

Status confine_next(const TaskSpec& before, const TaskSpec& spec) {
  if (spec.hidden_root.empty()) return Ok{};
  return rename_kept(spec.hidden_root, {{before.attempt_dir, spec.attempt_dir},
                                        {before.log_dir, spec.log_dir}});
}

}  // namespace weir::tasktracker
