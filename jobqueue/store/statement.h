// A thin owner for SQLite's C API. Errors are sticky, as in a stream: after the first one every
// call does nothing until clear_error(), so that a transaction is written down plainly and looked
// at once, at its end. Strings bound to a statement are not copied; they must live until run() or
// the last row() has returned.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace weir {

class Database {
 public:
  enum class Access { kWrite, kRead };
  // A failed open is the first sticky error. `vfs`: the name of SQLite's file system, empty: its
  // own.
  explicit Database(const std::string& path, Access access = Access::kWrite,
                    const std::string& vfs = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool ok() const { return code_ == 0; }
  int code() const { return code_; }  // SQLite's extended result code
  const std::string& message() const { return message_; }
  void clear_error();
  void note(int code);

  void busy_timeout(int timeout_ms);
  void unbounded();  // one in memory would otherwise take 1 GiB at most
  void exec(const std::string& sql);
  std::int64_t integer(
      const std::string& sql);  // first column of the first row, 0 if there is none

  std::int64_t changed_rows() const;  // by the last statement

  void begin() { exec("BEGIN IMMEDIATE"); }
  // Commits if nothing failed since begin(); otherwise rolls back and keeps the error. True: it is
  // on disk.
  bool end();
  void abandon();  // what was done since begin(); also its error

 private:
  friend class Statement;
  void roll_back();
  sqlite3* handle_ = nullptr;
  int code_ = 0;
  std::string message_;
};

class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Executes with these values; for statements without rows.
  template <class... Values>
  void run(const Values&... values) {
    start(values...);
    row();
    reset();
  }
  // Binds the values; then row() steps and is false after the last row, or on an error.
  template <class... Values>
  void start(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
  }
  // One value of a statement with many, from place 1 on.
  template <class Value>
  void put(int place, const Value& value) {
    bind(place, value);
  }
  bool row();
  void reset();

  bool is_null(int column);
  std::int64_t integer(int column);
  std::string_view bytes(int column);  // valid until the next row() or reset()

 private:
  void bind(int place, std::integral auto value) {
    bind_integer(place, static_cast<std::int64_t>(value));
  }
  void bind(int place, const std::string& value) { bind_text(place, value); }
  void bind(int place, std::string_view value) { bind_text(place, value); }
  void bind(int place, const std::optional<std::string>& value) {
    value ? bind_text(place, *value) : bind_null(place);
  }
  void bind_null(int place);
  void bind_integer(int place, std::int64_t value);
  void bind_text(int place, std::string_view value);

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace weir
