// The output file of one attempt: written aside as `<output>/_temporary/<attempt>/part-NNNNN`, made
// durable, and published by a hard link, which never replaces what is there. The link aside stays
// until the job's clean-up: if a tracker dies between publishing and reporting, the next attempt of
// the task sees from it that the file in place is its task's own output, granted earlier, and is
// content. So it is where `_SUCCESS` names its job: a store that was restored from a copy may know
// a job as running that has ended since. Any other file in place is an error.
//
// A power cut may take what was not synced, so: what lies aside is there for good, content and
// name, before the attempt asks to commit; the published name before it reports success; and what
// an end removes is gone for good before the end is reported. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "tracker/tasktracker/file_system.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

std::string part_name(std::uint32_t index);  // part-00000
std::string task_output_dir(const TaskSpec& spec);

class TaskOutput {
 public:
  static Result<TaskOutput> create(const TaskSpec& spec, FileSystem& files = posix_files());

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  Status sync();
  // Publishes; the note (may be empty) says if an earlier attempt of the task had done so.
  Result<std::string> commit();

 private:
  explicit TaskOutput(FileSystem& files) : files_(&files) {}
  Result<std::string> published_before(const FileSystem::Identity& there) const;

  FileSystem* files_;
  std::string output_, owner_, aside_, part_, path_;
  std::string task_prefix_;  // attempt_0007_r_000012_
  FileSystem::Identity identity_;
  UniqueFd fd_;
};

// The job's last step, idempotent: removes `_temporary`, and writes `_SUCCESS`, which names the
// job, or removes an output that is empty.
Status finish_job_output(const std::string& output, const std::string& owner, bool succeed,
                         FileSystem& files = posix_files());

// An attempt has ended: what it wrote aside goes, unless it is what stands published.
void remove_unpublished(const std::string& aside, FileSystem& files = posix_files());

// After the job's last step: what attempts that were still being killed then have written aside
// since. Leaves everything of other jobs that write to the same place by now.
void remove_late_output(const std::string& output, JobId job, FileSystem& files = posix_files());

}  // namespace weir::tasktracker
