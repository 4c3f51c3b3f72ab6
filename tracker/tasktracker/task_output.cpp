#include "tracker/tasktracker/task_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace weir::tasktracker {
namespace {

constexpr unsigned kRenameNoReplace = 1;  // RENAME_NOREPLACE

// Some file systems have no hard links: there the name moves instead, which does not replace
// either.
bool no_hard_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == EMLINK || error == ENOSYS;
}

}  // namespace

std::string part_name(std::uint32_t index) {
  char name[32];
  std::snprintf(name, sizeof name, "part-%05u", index);
  return name;
}

std::string task_output_dir(const TaskSpec& spec) {
  return spec.output + "/_temporary/" + attempt_name(spec.id);
}

Result<TaskOutput> TaskOutput::create(const TaskSpec& spec) {
  TaskOutput output;
  output.output_ = spec.output;
  output.attempt_ = attempt_name(spec.id);
  output.task_prefix_ = output.attempt_.substr(0, output.attempt_.rfind('_') + 1);
  output.part_ = part_name(spec.id.task.index);
  const std::string directory = task_output_dir(spec);
  if (auto made = make_directories(directory); !made) return made.error();
  output.path_ = directory + "/" + output.part_;
  auto fd = open_file(output.path_, O_WRONLY | O_CREAT | O_TRUNC);
  if (!fd) return fd.error();
  output.fd_ = std::move(*fd);
  return output;
}

Status TaskOutput::sync() {
  if (::fsync(fd_.get()) != 0) return system_error(path_);
  return Ok{};
}

Result<std::string> TaskOutput::commit() {
  const std::string target = output_ + "/" + part_;
  int done = ::link(path_.c_str(), target.c_str());
  if (done != 0 && no_hard_links(errno)) {
    done = static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, path_.c_str(), AT_FDCWD,
                                      target.c_str(), kRenameNoReplace));
  }
  std::string note;
  if (done != 0) {
    if (errno != EEXIST) return system_error("publishing " + path_ + " as " + target);
    struct stat there {
    }, mine{};
    if (::stat(target.c_str(), &there) != 0) return system_error(target);
    if (::fstat(fd_.get(), &mine) != 0) return system_error(path_);
    if (there.st_dev != mine.st_dev || there.st_ino != mine.st_ino) {
      auto earlier = published_before(there.st_ino);
      if (!earlier) return earlier.error();
      note = std::move(*earlier);
    }
  }
  if (auto synced = sync_directory(output_); !synced) return synced.error();
  return note;
}

Result<std::string> TaskOutput::published_before(std::uint64_t inode) const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output_ + "/_temporary", error)) {
    const std::string attempt = entry.path().filename();
    struct stat info {};
    if (!attempt.starts_with(task_prefix_)) continue;
    if (::stat((entry.path() / part_).c_str(), &info) == 0 && info.st_ino == inode) {
      return "output had been published by " + attempt;
    }
  }
  return data_error(output_ + "/" + part_ +
                    ": exists and was not written by this task; Weir never replaces a file");
}

Status finish_job_output(const std::string& output, bool succeed) {
  if (auto removed = remove_tree(output + "/_temporary"); !removed) return removed;
  if (!succeed) {
    const std::string mark = output + "/_SUCCESS";  // of a duty that a kill overtook
    if (::unlink(mark.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR)
      return system_error(mark);
    if (::rmdir(output.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) {
      return system_error(output);
    }
    return Ok{};
  }
  if (auto made = make_directories(output); !made) return made;
  auto fd = open_file(output + "/_SUCCESS", O_WRONLY | O_CREAT);
  if (!fd) return fd.error();
  if (::fsync(fd->get()) != 0) return system_error(output + "/_SUCCESS");
  return sync_directory(output);
}

void remove_unpublished(const std::string& aside) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(aside, error)) {
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) == 0 && info.st_nlink > 1) return;
  }
  (void)remove_tree(aside).ok();
}

void remove_late_output(const std::string& output, JobId job) {
  const std::string aside = output + "/_temporary";
  const std::string any = attempt_name({{job, TaskKind::kMap, 0}, 0});
  const std::string prefix = any.substr(0, any.find("_m_") + 1);
  std::vector<std::string> late;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(aside, error)) {
    if (entry.path().filename().string().starts_with(prefix)) late.push_back(entry.path());
  }
  if (late.empty()) return;
  for (const std::string& path : late) (void)remove_tree(path).ok();
  ::rmdir(aside.c_str());  // unless somebody else is there, as the next
  ::rmdir(output.c_str());
}

}  // namespace weir::tasktracker
