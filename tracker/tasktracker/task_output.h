// The output file of one attempt: written aside as `<output>/_temporary/<attempt>.part-NNNNN`, made
// durable, and published by a hard link, which never replaces what is there. The link aside stays
// until the job's clean-up: if a tracker dies between publishing and reporting, the next attempt of
// the task sees from it that the file in place is its task's own output, granted earlier, and is
// content. So it is where `_SUCCESS` names its job: a store that was restored from a copy may know
// a job as running that has ended since. Any other file in place is an error.
//
// Beside it is a directory for the attempt's commands, `<output>/_temporary/<attempt>/`, which may
// be that of an earlier attempt of the job: making and removing one for each costs some file
// systems more than all else that a short task does.
//
// A power cut may take what was not synced, so: what lies aside is there for good, content and
// name, before the attempt asks to commit; the published name before it reports success; and what
// an end removes is gone for good before the end is reported. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tracker/tasktracker/output_directory.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

std::string part_name(std::uint32_t index);  // part-00000
std::string task_output_dir(const TaskSpec& spec);
JobOutput output_of(const TaskSpec& spec);

class TaskOutput {
 public:
  static Result<TaskOutput> create(const TaskSpec& spec, FileSystem& files = posix_files());

  int fd() const { return fd_.get(); }
  std::string path() const { return directory_->path_of(file_); }
  Status sync();
  // Publishes; the note (may be empty) says if an earlier attempt of the task had done so.
  Result<std::string> commit();

 private:
  TaskOutput() = default;
  Result<std::string> published_before(const Directory::Identity& there) const;

  DirectoryPtr directory_;  // the job's output
  std::string owner_, part_;
  std::string file_;  // aside, below the directory
  std::string task_prefix_;   // attempt_0007_r_000012_
  Directory::Identity identity_;
  UniqueFd fd_;
};

// The part that a name in `_temporary` holds a link to; empty: it is an attempt's directory.
std::string part_of_link(const std::string& name);
// What lies aside by this name goes, unless it is what stands published.
void remove_if_unpublished(Directory& directory, const std::string& name);
// An attempt has ended.
void remove_unpublished(const JobOutput& output, const AttemptKey& attempt,
                        FileSystem& files = posix_files());

}  // namespace weir::tasktracker
