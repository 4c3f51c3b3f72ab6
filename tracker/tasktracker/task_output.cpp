#include "tracker/tasktracker/task_output.h"

#include <cstdio>

namespace weir::tasktracker {

std::string part_name(std::uint32_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "part-%05u", index);
  return name;
}

std::string task_output_dir(const TaskSpec& spec) {
  return spec.output + "/" + kAside + "/" + attempt_name(spec.id);
}

JobOutput output_of(const TaskSpec& spec) {
  return {spec.output, spec.owner};
}

Result<TaskOutput> TaskOutput::create(const TaskSpec& spec, FileSystem& files) {
  TaskOutput output;
  output.owner_ = spec.owner;
  const std::string attempt = attempt_name(spec.id);
  output.aside_ = std::string(kAside) + "/" + attempt;
  output.task_prefix_ = attempt.substr(0, attempt.rfind('_') + 1);
  output.part_ = part_name(spec.id.task.index);
  output.file_ = output.aside_ + "/" + output.part_;
  auto directory = take_output(output_of(spec), attempt, files);
  if (!directory) return directory.error();
  Directory& taken = **directory;
  output.directory_ = std::move(*directory);
  if (auto made = taken.make_directory(kAside); !made) return made.error();
  if (auto synced = taken.sync(); !synced) return synced.error();
  if (auto made = taken.make_directory(output.aside_); !made) return made.error();
  if (auto synced = taken.sync(kAside); !synced) return synced.error();
  auto fd = taken.create_file(output.file_);
  if (!fd) return fd.error();
  output.fd_ = std::move(*fd);
  const auto mine = taken.info(output.file_);
  if (!mine) return system_error(output.path());
  output.identity_ = mine->identity;
  return output;
}

Status TaskOutput::sync() {
  if (auto synced = directory_->sync_file(file_, fd_); !synced) return synced;
  return directory_->sync(aside_);
}

Result<std::string> TaskOutput::commit() {
  auto published = directory_->publish(file_, part_);
  if (!published) return published.error();
  std::string note;
  if (!*published) {
    const auto there = directory_->info(part_);
    if (!there) return system_error(directory_->path_of(part_));
    if (there->identity != identity_) {
      auto earlier = published_before(there->identity);
      if (!earlier) return earlier.error();
      note = std::move(*earlier);
    }
  }
  if (auto synced = directory_->sync(); !synced) return synced.error();
  return note;
}

Result<std::string> TaskOutput::published_before(const Directory::Identity& there) const {
  for (const std::string& attempt : directory_->list(kAside)) {
    if (!attempt.starts_with(task_prefix_)) continue;
    const auto aside = directory_->info(std::string(kAside) + "/" + attempt + "/" + part_);
    if (aside && aside->identity == there) return "output had been published by " + attempt;
  }
  if (has_succeeded(*directory_, owner_))
    return std::string("output had been published by this job, which had succeeded");
  return data_error(directory_->path_of(part_) +
                    ": exists and was not written by this task; Weir never replaces a file");
}

void remove_if_unpublished(Directory& directory, const std::string& aside) {
  for (const std::string& name : directory.list(aside)) {
    const auto info = directory.info(aside + "/" + name);
    if (info && info->links > 1) return;
  }
  (void)directory.remove_tree(aside).ok();
}

void remove_unpublished(const JobOutput& output, const AttemptKey& attempt, FileSystem& files) {
  const auto found = find_output(output, files);
  if (!found || *found == nullptr) return;
  remove_if_unpublished(**found, std::string(kAside) + "/" + attempt_name(attempt));
  (void)(*found)->sync(kAside).ok();
}

}  // namespace weir::tasktracker
