// What an operator is told when the store on disk cannot do its work: one line that names the file
// and what is wrong, and a hint with the way out.
#pragma once

#include <optional>
#include <string>

#include "jobqueue/model/result.h"

namespace weir {

// From SQLite's (extended) result code and its message.
Error explain_sqlite_error(const std::string& path, int code, const std::string& message);
// Likewise, of a store that was opened well and fails while the JobTracker runs.
Error explain_running_error(const std::string& path, int code, const std::string& message);

// What can be said before SQLite tries, and better than SQLite would: a missing directory, no
// permission.
std::optional<Error> examine_store_path(const std::string& path);

}  // namespace weir
