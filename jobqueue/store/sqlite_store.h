// The store on disk: SQLite in WAL mode with synchronous=FULL, so that append() returns only when
// its events survive a power cut. The store is locked (store_lock.h) for as long as it is open; its
// readers have connections of their own. The schema is versioned (schema.h) and migrated
// at open. Every failure is one Error with code kStoreFailed that names the file and, in its hint,
// the way out; after a failed append nothing of it is in the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "jobqueue/store/store.h"

namespace weir {

struct SqliteStoreOptions {
  std::size_t finished_jobs_limit = 10'000;  // load() returns the newest so many
  int busy_timeout_ms = 2'000;               // waits so long for a JobTracker that is just leaving
  std::uint32_t max_pages = 0;               // of 4 KiB; 0: as large as the disk
  std::uint32_t log_pages = 4'000;           // with so many, the log is taken into the file
  std::string vfs;                           // SQLite's file system; empty: its own
};

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, SpecCodec codec,
                                                 SqliteStoreOptions options = {});

// The same in memory, for what may forget all at its end. Its readers and its writer wait for each
// other.
std::unique_ptr<Store> make_memory_store(SpecCodec codec, std::size_t finished_jobs_limit = 10'000);

}  // namespace weir
