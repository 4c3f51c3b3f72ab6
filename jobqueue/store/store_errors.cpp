#include "jobqueue/store/store_errors.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace weir {
namespace {

namespace fs = std::filesystem;

Error failure(std::string message, std::string hint) {
  return {ErrorCode::kStoreFailed, std::move(message), std::move(hint), {}};
}

// With the effective user's rights, which are those that the file will be opened with.
bool writable(const fs::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Error not_writable(const std::string& path, const std::string& what) {
  const std::string why = std::strerror(errno);
  return failure(
      "store " + path + ": " + what + " is not writable: " + why,
      "give the JobTracker's user the right to write it, or name another file in store.sqlite");
}

}  // namespace

Error explain_sqlite_error(const std::string& path, int code, const std::string& message) {
  const std::string store = "store " + path;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return failure(store + " is in use by another JobTracker",
                     "stop that one first, or name another file in store.sqlite");
    case SQLITE_NOTADB:
      return failure(
          store + " is not a database",
          "move the file away or name another one in store.sqlite; a new one is created");
    case SQLITE_CORRUPT:
      return failure(store + " is damaged: " + message,
                     "restore a copy, or save what is readable: sqlite3 " + path +
                         " .recover | sqlite3 new.db");
    case SQLITE_FULL:
      return failure(store + ": no space left for it",
                     "free space on its file system; nothing that was acknowledged is lost");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return failure(
          store + " is read-only: " + message,
          "mount its file system writable and give the JobTracker's user the right to write");
    case SQLITE_CANTOPEN:
      return failure(store + " cannot be opened: " + message,
                     "it must be a plain file in an existing, writable directory");
    case SQLITE_IOERR:
      return failure(store + ": reading or writing failed: " + message + " (SQLite code " +
                         std::to_string(code) + ")",
                     "look at the disk and its free space (df, dmesg)");
    default:
      return failure(store + ": " + message + " (SQLite code " + std::to_string(code) + ")", "");
  }
}

Error explain_running_error(const std::string& path, int code, const std::string& message) {
  const std::string store = "store " + path;
  const std::string damaged =
      "stop the JobTracker, copy the file and its -wal aside, then restore a copy, or save what is "
      "readable: sqlite3 " + path + " .recover | sqlite3 new.db";
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return failure(store + " is locked by another process, which writes to it or has begun to",
                     "end that one, sqlite3 by hand perhaps (fuser " + path +
                         "); then it goes on by itself");
    case SQLITE_NOTADB:
      return failure(store + " is not a database any more: something wrote over it", damaged);
    case SQLITE_CORRUPT:
      return failure(store + " is damaged: " + message, damaged);
    default:
      return explain_sqlite_error(path, code, message);
  }
}

std::optional<Error> examine_store_path(const std::string& path) {
  std::error_code ignored;
  const fs::path file(path);
  const fs::path parent = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  if (!fs::exists(parent, ignored)) {
    return failure("store " + path + ": directory " + parent.string() + " does not exist",
                   "mkdir -p " + parent.string());
  }
  if (!fs::is_directory(parent, ignored)) {
    return failure("store " + path + ": " + parent.string() + " is not a directory",
                   "name a file in a directory in store.sqlite");
  }
  if (fs::is_symlink(file, ignored)) {  // SQLite keeps its log where the link leads
    return failure("store " + path + " is a symbolic link; name the file itself, " +
                       fs::weakly_canonical(file, ignored).string() + ", in store.sqlite",
                   "a link to a directory on the way to it is fine");
  }
  if (fs::is_directory(file, ignored)) {
    return failure("store " + path + " is a directory",
                   "name a file in store.sqlite, such as " + (file / "weir.db").string());
  }
  if (fs::exists(file, ignored) && !writable(file)) return not_writable(path, "the file");
  // SQLite keeps its log beside the file.
  if (!writable(parent)) return not_writable(path, "directory " + parent.string());
  return std::nullopt;
}

}  // namespace weir
