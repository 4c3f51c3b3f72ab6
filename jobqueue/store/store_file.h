// The database file itself, besides what SQLite does with it: that this JobTracker alone has it,
// and that it is still the file it was. A lock on one byte of it, behind those that SQLite locks,
// keeps a second JobTracker out also where the lock file (store_lock.h) is gone; readers do not ask
// for it. check() compares inodes, devices and lengths of the file, its log and the log's index
// with what they were: a commit into a file that has no name any more, or lost its end, would be a
// promise that the next start does not find. One thread at a time.
//
// Its descriptors are open for longer than SQLite's: closing any descriptor of a file drops all
// locks of fcntl() that the process has on it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "jobqueue/model/result.h"

namespace weir {

class StoreFile {
 public:
  StoreFile() = default;
  ~StoreFile();
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;

  // Makes the file if there is none, for its owner alone, as jobs' secrets are in it (SQLite gives
  // its log the same rights). kStoreFailed: another process has it, for so long.
  Status take(const std::string& path, int timeout_ms);
  // Once SQLite has written to it: the files that are looked at from now on.
  Status remember();
  Status check();

 private:
  struct Part {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    std::int64_t size = 0;  // when last looked at
  };

  Status look_at(Part& part, std::int64_t& size) const;
  std::int64_t database_bytes() const;
  std::int64_t log_bytes() const;

  Part database_, log_, index_;
  int database_fd_ = -1;
  int index_fd_ = -1;
  std::int64_t page_size_ = 0;
};

}  // namespace weir
