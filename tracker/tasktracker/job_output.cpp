#include "tracker/tasktracker/job_output.h"

#include "tracker/tasktracker/registration.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::tasktracker {
namespace {

// What lies aside shows which files in place are the job's; all of them are once it has succeeded.
Status remove_published(Directory& directory, bool succeeded, std::int64_t parts) {
  for (std::int64_t i = 0; succeeded && i < parts; ++i) {
    const std::string part = part_name(static_cast<std::uint32_t>(i));
    if (auto removed = directory.remove_file(part); !removed) return removed;
  }
  for (const std::string& name : directory.list(kAside)) {
    const std::string part = part_of_link(name);
    if (part.empty()) continue;
    const auto written = directory.info(std::string(kAside) + "/" + name);
    const auto published = directory.info(part);
    if (!written || !published || written->identity != published->identity) continue;
    if (auto removed = directory.remove_file(part); !removed) return removed;
  }
  return directory.sync();  // before that which shows it
}

// Whole before it has its name, and an own one is never written over: another tracker may be at the
// same duty, and further with it. `who` is its alone.
Status write_success(Directory& directory, const std::string& owner, const std::string& who) {
  const std::string draft = std::string(kOwnerMark) + "." + who;  // as remove_mark() finds it
  auto fd = directory.create_file(draft);
  if (!fd) return fd.error();
  if (auto w = directory.write_small(draft, *fd, owner + "\n"); !w) return w;
  if (auto synced = directory.sync_file(draft, *fd); !synced) return synced;
  auto named = directory.publish(draft, kSuccessMark);
  if (named && !*named && !has_succeeded(directory, owner)) {
    // Something that a task has put there, say.
    if (auto removed = directory.remove_file(kSuccessMark); !removed) return removed;
    named = directory.publish(draft, kSuccessMark);
  }
  // Without it where the other one has cleaned up: that has its `_SUCCESS` there.
  if (!has_succeeded(directory, owner)) {
    return named ? data_error(directory.path_of(kSuccessMark) + ": is not this job's")
                 : Status(named.error());
  }
  return directory.remove_file(draft);
}

}  // namespace

Status complete_job_output(const JobOutput& output, std::int64_t parts, FileSystem& files) {
  const std::string who = "success-" + draw_mark();
  auto there = files.open(output.path);
  if (!there) return there.error();
  if (*there == nullptr && parts > 0)
    return data_error(output.path + ": is gone, with what the job has written");
  DirectoryPtr taken;
  if (parts > 0 && is_marked(**there, output.owner)) {
    taken = std::move(*there);  // its place is for good: that came before any of its parts
  } else {
    auto made = take_output(output, who, files);
    if (!made) return made.error();
    taken = std::move(made->directory);
  }
  Directory& directory = *taken;
  // Nothing that shows whose the files are goes before it: a kill may come to remove them.
  if (!has_succeeded(directory, output.owner)) {
    if (auto written = write_success(directory, output.owner, who); !written) return written;
  }
  // Also one that was there: its writer may have died before it did this.
  if (auto synced = directory.sync(); !synced) return synced;
  if (auto removed = directory.remove_tree(kAside); !removed) return removed;
  if (auto removed = remove_mark(directory); !removed) return removed;
  return remove_rests(output, files, false);
}

Status abort_job_output(const JobOutput& output, std::int64_t parts, FileSystem& files) {
  auto found = find_output(output, files);
  if (!found) return found.error();
  if (*found != nullptr) {
    Directory& directory = **found;
    const bool succeeded = has_succeeded(directory, output.owner);  // a kill overtook that
    if (auto removed = remove_published(directory, succeeded, parts); !removed) return removed;
    if (auto removed = directory.remove_tree(kAside); !removed) return removed;
    if (succeeded && !is_marked(directory, output.owner)) {
      // As long as it is there the directory needs something that says whose it is.
      if (auto marked = mark_output(directory, output.owner, "abort"); !marked) return marked;
    }
    if (succeeded) {
      if (auto removed = directory.remove_file(kSuccessMark); !removed) return removed;
    }
    if (auto given = give_up_output(output, directory, files); !given) return given;
  }
  return remove_rests(output, files);
}

void remove_late_output(const JobOutput& output, FileSystem& files) {
  const auto found = find_output(output, files);
  if (!found || *found == nullptr) return;
  Directory& directory = **found;
  for (const std::string& name : directory.list(kAside)) remove_if_unpublished(directory, name);
  (void)directory.remove_directory(kAside).ok();
  (void)directory.sync().ok();
  // Made anew by them, after the job's end. Otherwise its end is still to come.
  if (only_mark_left(directory)) (void)give_up_output(output, directory, files).ok();
}

}  // namespace weir::tasktracker
