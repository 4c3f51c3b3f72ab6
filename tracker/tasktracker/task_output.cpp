#include "tracker/tasktracker/task_output.h"

#include <cstdio>

namespace weir::tasktracker {

std::string part_name(std::uint32_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "part-%05u", index);
  return name;
}

std::string task_output_dir(const TaskSpec& spec) {
  return spec.output + "/_temporary/" + attempt_name(spec.id);
}

Result<TaskOutput> TaskOutput::create(const TaskSpec& spec, FileSystem& files) {
  TaskOutput output(files);
  output.output_ = spec.output;
  output.owner_ = spec.owner;
  output.aside_ = task_output_dir(spec);
  output.task_prefix_ = attempt_name(spec.id);
  output.task_prefix_.erase(output.task_prefix_.rfind('_') + 1);
  output.part_ = part_name(spec.id.task.index);
  Status made = make_durable_directories(files, output.aside_);
  // The clean-up of another job that wrote here may have come between.
  if (!made) made = make_durable_directories(files, output.aside_);
  if (!made) return made.error();
  output.path_ = output.aside_ + "/" + output.part_;
  auto fd = files.create_file(output.path_);
  if (!fd) return fd.error();
  output.fd_ = std::move(*fd);
  const auto mine = files.info(output.path_);
  if (!mine) return system_error(output.path_);
  output.identity_ = mine->identity;
  return output;
}

Status TaskOutput::sync() {
  if (auto synced = files_->sync_file(path_, fd_); !synced) return synced;
  return files_->sync_directory(aside_);
}

Result<std::string> TaskOutput::commit() {
  const std::string target = output_ + "/" + part_;
  auto published = files_->publish(path_, target);
  if (!published) return published.error();
  std::string note;
  if (!*published) {
    const auto there = files_->info(target);
    if (!there) return system_error(target);
    if (there->identity != identity_) {
      auto earlier = published_before(there->identity);
      if (!earlier) return earlier.error();
      note = std::move(*earlier);
    }
  }
  if (auto synced = files_->sync_directory(output_); !synced) return synced.error();
  return note;
}

Result<std::string> TaskOutput::published_before(const FileSystem::Identity& there) const {
  const std::string all = output_ + "/_temporary";
  for (const std::string& attempt : files_->list(all)) {
    if (!attempt.starts_with(task_prefix_)) continue;
    const auto aside = files_->info(all + "/" + attempt + "/" + part_);
    if (aside && aside->identity == there) return "output had been published by " + attempt;
  }
  const std::string mark = output_ + "/_SUCCESS";
  if (!owner_.empty() && files_->read_small(mark) == owner_ + "\n")
    return std::string("output had been published by this job, which had succeeded");
  return data_error(output_ + "/" + part_ +
                    ": exists and was not written by this task; Weir never replaces a file");
}

namespace {

// The directory, if nothing is in it; what left it, or it itself, is gone for good then.
Status remove_if_empty(FileSystem& files, const std::string& directory) {
  auto removed = files.remove_directory(directory);
  if (!removed) return removed.error();
  if (!*removed) return files.sync_directory(directory);
  (void)files.sync_directory(parent_directory(directory)).ok();  // it may be gone, too
  return Ok{};
}

}  // namespace

Status finish_job_output(const std::string& output, const std::string& owner, bool succeed,
                         FileSystem& files) {
  const std::string mark = output + "/_SUCCESS";
  if (auto removed = files.remove_tree(output + "/_temporary"); !removed) return removed;
  if (!succeed) {
    // Of a duty that a kill overtook.
    if (auto removed = files.remove_file(mark); !removed) return removed;
    return remove_if_empty(files, output);
  }
  if (auto made = make_durable_directories(files, output); !made) return made;
  auto fd = files.create_file(mark);
  if (!fd) return fd.error();
  if (!owner.empty()) {
    if (auto named = files.write_small(mark, *fd, owner + "\n"); !named) return named;
  }
  if (auto synced = files.sync_file(mark, *fd); !synced) return synced;
  return files.sync_directory(output);
}

void remove_unpublished(const std::string& aside, FileSystem& files) {
  for (const std::string& name : files.list(aside)) {
    const auto info = files.info(aside + "/" + name);
    if (info && info->links > 1) return;
  }
  (void)files.remove_tree(aside).ok();
  (void)files.sync_directory(parent_directory(aside)).ok();
}

void remove_late_output(const std::string& output, JobId job, FileSystem& files) {
  const std::string aside = output + "/_temporary";
  if (!files.info(aside)) return;
  const std::string any = attempt_name({{job, TaskKind::kMap, 0}, 0});
  const std::string prefix = any.substr(0, any.find("_m_") + 1);
  for (const std::string& name : files.list(aside)) {
    if (name.starts_with(prefix)) (void)files.remove_tree(aside + "/" + name).ok();
  }
  (void)remove_if_empty(files, aside).ok();  // unless somebody else is there, as the next
  (void)remove_if_empty(files, output).ok();
}

}  // namespace weir::tasktracker
