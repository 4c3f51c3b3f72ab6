#include "tracker/tasktracker/posix.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <sstream>

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

namespace {

// What was opened, unless it is something that makes its opener wait.
Result<UniqueFd> checked(int number, int flags, const std::string& shown,
                         std::optional<uid_t> owner) {
  const bool no_reader = number < 0 && errno == ENXIO;  // a pipe or socket
  if (number < 0 && !no_reader) return system_error(shown);
  UniqueFd fd(number);
  struct stat there {};
  if (!no_reader && ::fstat(fd.get(), &there) != 0) return system_error(shown);
  if (no_reader || (!S_ISREG(there.st_mode) && !(flags & O_DIRECTORY)))
    return data_error(shown + ": is no regular file");
  if (owner && there.st_uid != *owner) return data_error(shown + ": belongs to another user");
  return fd;
}

int open_at(int directory, const char* name, int flags, int mode) {
  int number;
  do {
    number = ::openat(directory, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
  } while (number < 0 && errno == EINTR);
  return number;
}

UniqueFd step(int at, const std::string& name) {
  return UniqueFd(::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// All steps at once, where the kernel does that.
UniqueFd step_through(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return UniqueFd(static_cast<int>(
      ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

// The directory that a path's last name is in, reached through no link. Where `makes`, those that
// are missing are made, and what is there instead of one is removed.
struct Place {
  UniqueFd directory;  // invalid: errno says why
  std::string name;
};

UniqueFd step_making(int at, const std::string& name) {
  UniqueFd next = step(at, name);
  if (next.valid()) return next;
  if (errno == ENOTDIR || errno == ELOOP) (void)::unlinkat(at, name.c_str(), 0);
  if (::mkdirat(at, name.c_str(), 0777) != 0 && errno != EEXIST) return next;
  return step(at, name);
}

Place place_of(const std::string& path, bool makes = false) {
  const std::size_t last = path.rfind('/');
  Place place;
  place.name = last == std::string::npos ? path : path.substr(last + 1);
  if (last != std::string::npos && last > 0) place.directory = step_through(path.substr(0, last));
  if (place.directory.valid()) return place;
  // Step by step, to make what is missing, or for the error.
  place.directory = step(AT_FDCWD, path.starts_with('/') ? "/" : ".");
  for (std::size_t from = 0; place.directory.valid() && last != std::string::npos && from < last;) {
    const std::size_t end = path.find('/', from);
    const std::string name = path.substr(from, end - from);
    const int at = place.directory.get();
    if (!name.empty()) place.directory = makes ? step_making(at, name) : step(at, name);
    from = end + 1;
  }
  return place;
}

}  // namespace

Result<UniqueFd> open_file(const std::string& path, int flags, int mode) {
  return checked(open_at(AT_FDCWD, path.c_str(), flags, mode), flags, path, std::nullopt);
}

Result<UniqueFd> open_untrusted_at(int directory, const std::string& name, uid_t owner,
                                   const std::string& shown, int flags, int mode) {
  return checked(open_at(directory, name.c_str(), flags | O_NOFOLLOW, mode), flags, shown, owner);
}

Result<UniqueFd> create_anew_at(int directory, const std::string& name, const std::string& shown,
                                int mode) {
  // Whoever makes the name anew between the two is found out by O_EXCL.
  if (::unlinkat(directory, name.c_str(), 0) != 0 && errno != ENOENT) return system_error(shown);
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;
  return checked(open_at(directory, name.c_str(), kNew, mode), kNew, shown, std::nullopt);
}

Result<UniqueFd> open_untrusted(const std::string& path, int flags, int mode) {
  const Place at = place_of(path);
  if (!at.directory.valid()) return system_error(path);
  return open_untrusted_at(at.directory.get(), at.name, ::geteuid(), path, flags, mode);
}

Result<UniqueFd> create_anew(const std::string& path, int mode) {
  const Place at = place_of(path);
  if (!at.directory.valid()) return system_error(path);
  return create_anew_at(at.directory.get(), at.name, path, mode);
}

namespace {

constexpr std::size_t kMostMountText = 4u << 20;

// The highest mount point above a directory that the file system `device` is mounted at, in view or
// covered by another: an attempt sees its own directories through mounts of their own, and nothing
// of the rest.
std::string mount_above(const std::string& directory, dev_t device) {
  const auto text = read_system_file("/proc/self/mountinfo", kMostMountText);
  std::istringstream lines(text ? *text : "");
  std::string highest;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id, parent, number, root, point;
    fields >> id >> parent >> number >> root >> point;
    if (number != std::to_string(major(device)) + ":" + std::to_string(minor(device))) continue;
    const std::string below = point.ends_with('/') ? point : point + "/";
    if (!(directory + "/").starts_with(below)) continue;
    if (highest.empty() || point.size() < highest.size()) highest = point;
  }
  return highest;
}

// Where the file system is mounted that a file of this path is on; empty if the path is none.
std::string disk_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = fs::canonical(fs::path(path).parent_path(), error);
  struct stat here {};
  if (error || at.empty() || ::stat(at.c_str(), &here) != 0) return "";
  if (std::string mount = mount_above(at.string(), here.st_dev); !mount.empty()) return mount;
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

Result<std::size_t> read_some_at(int fd, std::span<char> into, std::int64_t offset,
                                 std::string_view what) {
  for (;;) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(what);
    return static_cast<std::size_t>(n);
  }
}

Status read_exactly_at(int fd, std::span<char> into, std::int64_t offset, std::string_view what) {
  while (!into.empty()) {
    auto n = read_some_at(fd, into, offset, what);
    if (!n) return n.error();
    if (*n == 0)
      return data_error(std::string(what) + ": ends before byte " + std::to_string(offset));
    into = into.subspan(*n);
    offset += static_cast<std::int64_t>(*n);
  }
  return Ok{};
}

namespace {

Result<std::string> read_all(int fd, const std::string& path, std::size_t limit) {
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit)
      return data_error(path + ": is larger than " + std::to_string(limit) + " bytes");
  }
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  const auto fd = open_untrusted(path, O_RDONLY);
  if (!fd) return fd.error();
  return read_all(fd->get(), path, limit);
}

Result<std::string> read_system_file(const std::string& path, std::size_t limit) {
  const auto fd = open_file(path, O_RDONLY);
  if (!fd) return fd.error();
  return read_all(fd->get(), path, limit);
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
  const Place at = place_of(path, true);
  if (!at.directory.valid()) return system_error(path);
  const auto make = [&at] { return ::mkdirat(at.directory.get(), at.name.c_str(), 0700) == 0; };
  if (make()) return Ok{};
  if (errno != EEXIST) return system_error(path);
  if (auto removed = remove_tree_at(at.directory.get(), at.name, path); !removed) return removed;
  if (!make()) return system_error(path);
  return Ok{};
}

Status remove_tree(const std::string& path) {
  const Place at = place_of(path);
  if (at.directory.valid()) return remove_tree_at(at.directory.get(), at.name, path);
  return errno == ENOENT ? Status(Ok{}) : system_error(path);
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
