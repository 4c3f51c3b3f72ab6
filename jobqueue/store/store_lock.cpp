#include "jobqueue/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace weir {
namespace {

constexpr std::string_view kWritten = "\nthe store has been written\n";

bool says_written(int file) {
  char text[64] = {};
  const ssize_t size = ::pread(file, text, sizeof(text), 0);
  return size > 0 && std::string_view(text, static_cast<std::size_t>(size)).ends_with(kWritten);
}

// As well as it can be: a full disk must not keep anybody from starting.
void write_own_pid(int file, bool written) {
  const std::string text = std::to_string(::getpid()) + std::string(written ? kWritten : "\n");
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

StoreLock::~StoreLock() {
  if (file_ >= 0) ::close(file_);
}

Status StoreLock::take(const std::string& store_path, int timeout_ms) {
  const std::string name = file_of(store_path);
  file_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) {
    return Error{ErrorCode::kStoreFailed,
                 "store " + store_path + ": " + name + " cannot be opened: " + std::strerror(errno),
                 "give the JobTracker's user the right to write it, or name another file in "
                 "store.sqlite",
                 {}};
  }
  constexpr std::chrono::milliseconds kPause{20};
  for (auto waited = std::chrono::milliseconds(0);; waited += kPause) {
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
      written_ = says_written(file_);
      write_own_pid(file_, written_);
      return Ok{};
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return Error{
          ErrorCode::kStoreFailed,
          "store " + store_path + ": " + name + " cannot be locked: " + std::strerror(errno),
          "keep the store on a local file system",
          {}};
    }
    if (waited.count() >= timeout_ms) break;
    std::this_thread::sleep_for(kPause);
  }
  return Error{ErrorCode::kStoreFailed,
               "store " + store_path + " is in use by another JobTracker",
               "stop that one first, or name another file in store.sqlite",
               {}};
}

void StoreLock::say_written(bool written) {
  if (written == written_) return;
  written_ = written;
  write_own_pid(file_, written);
}

std::optional<pid_t> StoreLock::holder(const std::string& store_path) {
  const int file = ::open(file_of(store_path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  char text[32] = {};
  const ssize_t size = held ? ::pread(file, text, sizeof(text) - 1, 0) : 0;
  ::close(file);
  const long pid = size > 0 ? std::strtol(text, nullptr, 10) : 0;
  return pid > 1 ? std::optional(static_cast<pid_t>(pid)) : std::nullopt;
}

}  // namespace weir
