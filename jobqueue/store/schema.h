// The schema of the store, as the list of steps that led to it: step i takes a store of version i
// to version i + 1, and PRAGMA user_version says where a file is. A step that has been released is
// never changed; a new one is added. All missing steps run in one transaction, so a store is never
// between two versions. A file that is newer than this program, or a database of somebody else's,
// is refused and left as it is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"
#include "jobqueue/store/statement.h"

namespace weir {

std::span<const std::string_view> store_migrations();

// Brings the database to the newest version. `name` is for messages. An error of SQLite's own stays
// in the database, for the caller to explain; the Status is about what the file is.
Status migrate(Database& database, const std::string& name,
               std::span<const std::string_view> migrations);

}  // namespace weir
