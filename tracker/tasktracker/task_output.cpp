#include "tracker/tasktracker/task_output.h"

#include <cstdio>

namespace weir::tasktracker {
namespace {

std::string aside(const std::string& name) {
  return std::string(kAside) + "/" + name;
}

std::string link_name(const AttemptKey& attempt) {
  return attempt_name(attempt) + "." + part_name(attempt.task.index);
}

}  // namespace

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

namespace {

// The job's output directory with a place for what lies aside in it, both for good.
Result<DirectoryPtr> open_output(const TaskSpec& spec, const std::string& attempt,
                                 FileSystem& files) {
  if (spec.output_is_durable) {
    // Unless somebody has removed something, there is nothing to make and so nothing to sync.
    auto there = files.open(spec.output);
    if (there && *there != nullptr && is_marked(**there, spec.owner) && (*there)->info(kAside))
      return there;
  }
  auto taken = take_output(output_of(spec), attempt, files);
  if (!taken) return taken.error();
  Directory& directory = *taken->directory;
  if (!taken->made) {
    if (auto made = directory.make_directory(kAside); !made) return made.error();
    if (auto synced = directory.sync(); !synced) return synced.error();
  }
  return std::move(taken->directory);
}

// The directory for its commands, empty.
Status make_place(const TaskSpec& spec, Directory& output) {
  const std::string mine = aside(attempt_name(spec.id));
  if (!spec.spare_output_dir.empty())
    (void)output.rename_directory(aside(spec.spare_output_dir), mine).ok();
  if (output.make_directory(mine).ok() && output.list(mine).empty()) return Ok{};
  if (auto removed = output.remove_tree(mine); !removed) return removed;
  return output.make_directory(mine);
}

}  // namespace

Result<TaskOutput> TaskOutput::create(const TaskSpec& spec, FileSystem& files) {
  TaskOutput output;
  output.owner_ = spec.owner;
  const std::string attempt = attempt_name(spec.id);
  output.task_prefix_ = attempt.substr(0, attempt.rfind('_') + 1);
  output.part_ = part_name(spec.id.task.index);
  output.file_ = aside(link_name(spec.id));
  auto directory = open_output(spec, attempt, files);
  if (!directory) return directory.error();
  Directory& taken = **directory;
  output.directory_ = std::move(*directory);
  if (auto made = make_place(spec, taken); !made) return made.error();
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
  return directory_->sync(kAside);
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
  for (const std::string& name : directory_->list(kAside)) {
    if (!name.starts_with(task_prefix_) || part_of_link(name) != part_) continue;
    const auto written = directory_->info(aside(name));
    if (written && written->identity == there)
      return "output had been published by " + name.substr(0, name.find('.'));
  }
  if (has_succeeded(*directory_, owner_))
    return std::string("output had been published by this job, which had succeeded");
  return data_error(directory_->path_of(part_) +
                    ": exists and was not written by this task; Weir never replaces a file");
}

std::string part_of_link(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

void remove_if_unpublished(Directory& directory, const std::string& name) {
  if (part_of_link(name).empty()) {
    (void)directory.remove_tree(aside(name)).ok();
  } else if (const auto there = directory.info(aside(name)); there && there->links == 1) {
    (void)directory.remove_file(aside(name)).ok();
  }
}

void remove_unpublished(const JobOutput& output, const AttemptKey& attempt, FileSystem& files) {
  const auto found = find_output(output, files);
  if (!found || *found == nullptr) return;
  remove_if_unpublished(**found, attempt_name(attempt));
  remove_if_unpublished(**found, link_name(attempt));
  (void)(*found)->sync(kAside).ok();
}

}  // namespace weir::tasktracker
