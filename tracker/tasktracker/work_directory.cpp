#include "tracker/tasktracker/work_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tracker/tasktracker/file_system.h"

namespace weir::tasktracker {

Status make_work_directory(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (auto made = make_directories(parent_directory(path)); !made) return made;
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return system_error(path);
  struct stat named {}, there {};
  if (::lstat(path.c_str(), &named) != 0 || ::stat(path.c_str(), &there) != 0)
    return system_error(path);
  const uid_t own = ::geteuid();
  if (there.st_uid != own || (named.st_uid != own && named.st_uid != 0)) {
    return data_error(fmt::format(
        "{}: belongs to user {}; a work directory is to belong to the tracker's user, {}", path,
        there.st_uid != own ? there.st_uid : named.st_uid, own));
  }
  if ((there.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return data_error(fmt::format(
        "{}: others may write to it (mode {:04o}); its owner alone is to: chmod go-w {}", path,
        there.st_mode & 07777, path));
  }
  return Ok{};
}

}  // namespace weir::tasktracker
