#include "jobqueue/store/statement.h"

#include <sqlite3.h>

namespace weir {

Database::Database(const std::string& path, Access access, const std::string& vfs) {
  const int mode =
      access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, mode | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  if (handle_) sqlite3_extended_result_codes(handle_, 1);
  note(code);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::clear_error() {
  code_ = 0;
  message_.clear();
}

void Database::note(int code) {
  if (!ok() || code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  code_ = code;
  message_ = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
}

void Database::busy_timeout(int timeout_ms) {
  if (ok()) note(sqlite3_busy_timeout(handle_, timeout_ms));
}

void Database::unbounded() {
  sqlite3_int64 most = INT64_MAX;
  if (ok()) note(sqlite3_file_control(handle_, "main", SQLITE_FCNTL_SIZE_LIMIT, &most));
}

void Database::exec(const std::string& sql) {
  if (ok()) note(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.row() ? statement.integer(0) : 0;
}

std::int64_t Database::changed_rows() const {
  return handle_ ? sqlite3_changes64(handle_) : 0;
}

bool Database::end() {
  exec("COMMIT");
  if (ok()) return true;
  roll_back();
  return false;
}

void Database::abandon() {
  roll_back();
  clear_error();
}

void Database::roll_back() {
  // SQLite has rolled back by itself after some errors, and not after others. A failed rollback
  // leaves nothing to do: the next begin() reports it.
  if (handle_ && !sqlite3_get_autocommit(handle_)) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  if (!database_.ok()) return;
  database_.note(sqlite3_prepare_v3(database_.handle_, sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

bool Statement::row() {
  if (!database_.ok()) return false;
  const int code = sqlite3_step(handle_);
  database_.note(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  // The error that reset() returns is the one that row() has noted already.
  sqlite3_reset(handle_);
}

bool Statement::is_null(int column) {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) {
  return sqlite3_column_int64(handle_, column);
}

std::string_view Statement::bytes(int column) {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

void Statement::bind_null(int place) {
  if (database_.ok()) database_.note(sqlite3_bind_null(handle_, place));
}

void Statement::bind_integer(int place, std::int64_t value) {
  if (database_.ok()) database_.note(sqlite3_bind_int64(handle_, place, value));
}

void Statement::bind_text(int place, std::string_view value) {
  if (!database_.ok()) return;
  const char* data = value.data() ? value.data() : "";
  database_.note(
      sqlite3_bind_text64(handle_, place, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

}  // namespace weir
