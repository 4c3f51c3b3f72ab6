// Reads the snapshot back: the jobs in order of id, then each table about tasks in the same order,
// merged in one pass. It looks at unfinished jobs, those to be cleaned up and the newest finished
// ones only, so a start costs the same however long the history.
#pragma once

#include <cstddef>
#include <string>

#include "jobqueue/model/snapshot.h"
#include "jobqueue/store/sqlite_history.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store.h"

namespace weir {

// An SQLite error stays in the database, for the caller to explain; the Result is about what the
// rows say.
Result<Snapshot> load_snapshot(Database& database, const std::string& path, const SpecCodec& codec,
                               HistoryWriter& history, std::size_t finished_jobs_limit);

}  // namespace weir
