// Thin wrappers over what the task side asks of the operating system: descriptors that close
// themselves, reads and writes that finish, directories made and removed. Every failure is an Error
// that names the path and errno's text. Descriptors are made close-on-exec throughout: a user's
// command must inherit nothing but its three streams. Usable from any thread.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read_end, write_end;
};

// An Error from errno: "what: No space left on device".
Error system_error(std::string_view what, int error_number);
Error system_error(std::string_view what);
Error data_error(std::string message);

Result<Pipe> make_pipe();
Status set_nonblocking(int fd);
// A regular file (with O_DIRECTORY a directory), or an error: never waits for the other end of a
// pipe that somebody has put there, and touches no device.
Result<UniqueFd> open_file(const std::string& path, int flags, int mode = 0644);
// The same for a path that a task may have shaped: through no link anywhere on it, and of this
// process's user.
Result<UniqueFd> open_untrusted(const std::string& path, int flags, int mode = 0644);
// A new file of that name; what has the name (a file, a link, a pipe) is removed.
Result<UniqueFd> create_anew(const std::string& path, int mode = 0644);
// The same for a name in a directory that is open; `shown` is for people, `owner` whose it must be.
Result<UniqueFd> open_untrusted_at(int directory, const std::string& name, uid_t owner,
                                   const std::string& shown, int flags = O_RDONLY, int mode = 0644);
Result<UniqueFd> create_anew_at(int directory, const std::string& name, const std::string& shown,
                                int mode = 0644);
Status write_all(int fd, std::string_view bytes, std::string_view what);
// Reads up to `into.size()` bytes at `offset`; 0: the file ends there.
Result<std::size_t> read_some_at(int fd, std::span<char> into, std::int64_t offset,
                                 std::string_view what);
// Reads exactly `into.size()` bytes at `offset`; a shorter file is an error.
Status read_exactly_at(int fd, std::span<char> into, std::int64_t offset, std::string_view what);
Result<std::string> read_whole_file(const std::string& path, std::size_t limit);   // open_untrusted
Result<std::string> read_system_file(const std::string& path, std::size_t limit);  // of /proc, /sys
Status write_whole_file(const std::string& path, std::string_view bytes);          // create_anew
Status make_directories(const std::string& path);
// An empty directory of that name for this user alone, and those above it; what has the name is
// removed, and what is no directory where one above it must be.
Status make_fresh_directory(const std::string& path);
// Removes a file or a whole tree of any depth, through no link; what is not there is fine.
Status remove_tree(const std::string& path);
Status remove_tree_at(int directory, const std::string& name, const std::string& shown);

std::int64_t steady_now_ms();  // CLOCK_MONOTONIC: the same for all processes of the machine
std::int64_t wall_now_ms();

}  // namespace weir::tasktracker
