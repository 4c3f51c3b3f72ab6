// One JobTracker a store: two would both hand out the same job ids. The lock is an advisory one of
// the kernel's on a file beside the store, so that a crash leaves none behind, and readers of the
// same process, or sqlite3 by hand, are not kept out. Held from take() until destruction. The file
// names the process that has it; after a crash that is old news, the lock itself is not. And it
// says whether the store has been written, so that one that was emptied since is not begun again.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "jobqueue/model/result.h"

namespace weir {

class StoreLock {
 public:
  StoreLock() = default;
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  // Waits so long for a JobTracker that is just leaving. kStoreFailed: somebody has it, or the file
  // cannot be made.
  Status take(const std::string& store_path, int timeout_ms);

  // With the lock: whether the store had been written when somebody last said so.
  bool written() const { return written_; }
  void say_written(bool written);

  // The process that has the store now, if any, and if it could write down which one it is.
  static std::optional<pid_t> holder(const std::string& store_path);
  static std::string file_of(const std::string& store_path) { return store_path + "-lock"; }

 private:
  int file_ = -1;
  bool written_ = false;
};

}  // namespace weir
