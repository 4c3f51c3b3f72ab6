#include "tracker/tasktracker/open_below.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace weir::tasktracker {
namespace {

constexpr int kDirectory = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// By way of a descriptor, so that no link can come in its place meanwhile.
bool open_up(int directory, const char* name) {
  const UniqueFd there(::openat(directory, name, kDirectory | O_PATH));
  if (!there.valid()) return false;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", there.get());
  return ::chmod(path, 0700) == 0;
}

}  // namespace

UniqueFd open_directory_below(int directory, const char* name) {
  UniqueFd fd(::openat(directory, name, kDirectory | O_RDONLY | O_NONBLOCK));
  struct stat found {};
  if (fd.valid() && ::fstat(fd.get(), &found) == 0 && found.st_uid == ::geteuid() &&
      (found.st_mode & 0700) != 0700) {
    (void)::fchmod(fd.get(), 0700);  // what it was needed for says that it is still closed
  } else if (!fd.valid() && errno == EACCES) {
    if (open_up(directory, name))
      return UniqueFd(::openat(directory, name, kDirectory | O_RDONLY | O_NONBLOCK));
    errno = EACCES;
  }
  return fd;
}

Listing list_directory(int directory) {
  UniqueFd again(::openat(directory, ".", kDirectory | O_RDONLY));
  Listing listing(again.valid() ? ::fdopendir(again.get()) : nullptr);
  if (listing) (void)again.release();
  return listing;
}

}  // namespace weir::tasktracker
