// One JobTracker a store: two would both hand out the same job ids. The lock is an advisory one of
// the kernel's on a file beside the store, so that a crash leaves none behind, and readers of the
// same process, or sqlite3 by hand, are not kept out. Held from take() until destruction.
#pragma once

#include <string>

#include "jobqueue/result.h"

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

 private:
  int file_ = -1;
};

}  // namespace weir
