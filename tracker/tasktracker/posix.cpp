#include "tracker/tasktracker/posix.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace weir::tasktracker {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0 && fd_ != fd) ::close(fd_);
  fd_ = fd;
}

Error system_error(std::string_view what, int error_number) {
  return Error{.message = std::string(what) + ": " + std::strerror(error_number)};
}

Error system_error(std::string_view what) {
  return system_error(what, errno);
}

Error data_error(std::string message) {
  return Error{.message = std::move(message)};
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe");
  Pipe pipe;
  pipe.read_end.reset(ends[0]);
  pipe.write_end.reset(ends[1]);
  return pipe;
}

Status set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return system_error("fcntl");
  return Ok{};
}

Result<UniqueFd> open_file(const std::string& path, int flags, int mode) {
  int number;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
  } while (number < 0 && errno == EINTR);
  const bool no_reader = number < 0 && errno == ENXIO;  // a pipe or socket
  if (number < 0 && !no_reader) return system_error(path);
  UniqueFd fd(number);
  struct stat there {};
  if (!no_reader && ::fstat(fd.get(), &there) != 0) return system_error(path);
  if (no_reader || (!S_ISREG(there.st_mode) && !(flags & O_DIRECTORY)))
    return data_error(path + ": is no regular file");
  return fd;
}

Result<UniqueFd> open_untrusted(const std::string& path, int flags, int mode) {
  return open_file(path, flags | O_NOFOLLOW, mode);
}

Result<UniqueFd> create_anew(const std::string& path, int mode) {
  // Whoever makes the name anew between the two is found out by O_EXCL.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error(path);
  return open_untrusted(path, O_WRONLY | O_CREAT | O_EXCL, mode);
}

namespace {

// Where the file system is mounted that a file of this path is on; empty if the path is none. The
// highest place counts: an attempt sees its own directories through mounts of their own.
std::string disk_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = fs::canonical(fs::path(path).parent_path(), error);
  struct stat here {};
  if (error || at.empty() || ::stat(at.c_str(), &here) != 0) return "";
  fs::path highest = at;
  while (at.has_relative_path()) {
    at = at.parent_path();
    struct stat above {};
    if (::stat(at.c_str(), &above) != 0) break;
    if (above.st_dev == here.st_dev) highest = at;
  }
  return highest.string();
}

Error write_error(std::string_view what) {
  const int problem = errno;
  Error error = system_error(what, problem);
  if (problem != ENOSPC && problem != EDQUOT) return error;
  if (const std::string disk = disk_of(std::string(what)); !disk.empty())
    error.message += " (the disk mounted at " + disk + " is full)";
  return error;
}

}  // namespace

Status write_all(int fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return write_error(what);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Ok{};
}

Status read_exactly_at(int fd, std::span<char> into, std::int64_t offset, std::string_view what) {
  while (!into.empty()) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(what);
    if (n == 0)
      return data_error(std::string(what) + ": ends before byte " + std::to_string(offset));
    into = into.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
  return Ok{};
}

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  auto fd = open_untrusted(path, O_RDONLY);
  if (!fd) return fd.error();
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd->get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit)
      return data_error(path + ": is larger than " + std::to_string(limit) + " bytes");
  }
}

Status write_whole_file(const std::string& path, std::string_view bytes) {
  auto fd = create_anew(path);
  if (!fd) return fd.error();
  return write_all(fd->get(), bytes, path);
}

Status make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return data_error(path + ": " + error.message());
  return Ok{};
}

Status make_fresh_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    if (auto made = make_directories(path.substr(0, slash)); !made) return made;
  }
  if (::mkdir(path.c_str(), 0700) == 0) return Ok{};
  if (errno != EEXIST) return system_error(path);
  if (auto removed = remove_tree(path); !removed) return removed;
  if (::mkdir(path.c_str(), 0700) != 0) return system_error(path);
  return Ok{};
}

namespace {
std::int64_t clock_ms(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}
}  // namespace

std::int64_t steady_now_ms() {
  return clock_ms(CLOCK_MONOTONIC);
}
std::int64_t wall_now_ms() {
  return clock_ms(CLOCK_REALTIME);
}

}  // namespace weir::tasktracker
