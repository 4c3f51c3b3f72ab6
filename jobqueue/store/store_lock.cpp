#include "jobqueue/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace weir {

StoreLock::~StoreLock() {
  if (file_ >= 0) ::close(file_);
}

Status StoreLock::take(const std::string& store_path, int timeout_ms) {
  const std::string name = store_path + "-lock";
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
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return Ok{};
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

}  // namespace weir
