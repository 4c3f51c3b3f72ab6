#include "jobqueue/store/sqlite_store.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "jobqueue/store/schema.h"
#include "jobqueue/store/sqlite_loader.h"
#include "jobqueue/store/sqlite_writer.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store_errors.h"
#include "jobqueue/store/store_file.h"
#include "jobqueue/store/store_lock.h"

namespace weir {
namespace {

// Rows of ended jobs removed with each transaction, besides two for every event in it.
constexpr std::size_t kSweptRows = 500;
constexpr std::size_t kTidiedRows = 2'000;  // and with each batch of tidying up
constexpr std::size_t kTidiedSeries = 250;  // pieces of each step

// SQLite's own file system in memory: all connections of the process see what a name there stands
// for, until the last of them is closed.
constexpr const char* kMemory = "memdb";

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, SpecCodec codec, const SqliteStoreOptions& options)
      : path_(std::move(path)),
        codec_(std::move(codec)),
        vfs_(options.vfs),
        finished_jobs_limit_(options.finished_jobs_limit) {}

  Status open(const SqliteStoreOptions& options) {
    if (vfs_.empty()) {
      Status taken = lock_.take(path_, options.busy_timeout_ms);
      if (taken.ok()) taken = check_not_emptied();
      if (taken.ok()) taken = file_.take(path_, options.busy_timeout_ms);
      if (!taken.ok()) return taken;
    }
    database_.emplace(path_, Database::Access::kWrite, vfs_);
    database_->busy_timeout(options.busy_timeout_ms);
    if (vfs_ == kMemory) database_->unbounded();
    database_->exec("PRAGMA journal_mode = WAL");
    database_->exec("PRAGMA synchronous = FULL");
    database_->exec("PRAGMA foreign_keys = ON");
    database_->exec("PRAGMA mmap_size = 0");  // a file cut off is to be an error, not a signal
    database_->exec("PRAGMA cache_size = -32768");
    database_->exec("PRAGMA wal_autocheckpoint = " + std::to_string(options.log_pages));
    database_->exec("PRAGMA journal_size_limit = 67108864");
    if (options.max_pages > 0) {
      database_->exec("PRAGMA max_page_count = " + std::to_string(options.max_pages));
    }
    Status migrated = migrate(*database_, path_, store_migrations());
    if (!migrated.ok()) return migrated;
    if (!database_->ok()) return take_error();
    writer_ = std::make_unique<SqliteWriter>(*database_, codec_);
    if (!database_->ok()) return take_error();
    if (vfs_.empty()) lock_.say_written(true);
    return Ok{};
  }

  Result<Snapshot> load() override {
    database_->begin();
    const std::int64_t epoch = 1 + database_->integer("SELECT value FROM meta WHERE key = 'epoch'");
    writer_->raise_meta("epoch", epoch);
    Result<Snapshot> snapshot =
        load_snapshot(*database_, path_, codec_, writer_->history(), finished_jobs_limit_);
    if (!database_->end()) return take_error();
    if (vfs_.empty() && snapshot.ok()) {  // it has a log now
      if (Status known = file_.remember(); !known.ok()) return known.error();
    }
    running_ = true;
    return snapshot;
  }

  Status append(std::span<const Event> events) override {
    if (events.empty()) return Ok{};
    std::uint64_t last_seq = 0;
    TimeMs last_time = 0;
    if (Status good = begin(); !good.ok()) return good;
    writer_->begin_events();
    for (const Event& event : events) {
      WEIR_CHECK(event.seq > 0, "only durable events are appended");
      last_seq = std::max(last_seq, event.seq);
      last_time = std::max(last_time, event.at);
      writer_->write(event);
    }
    writer_->finish_events();
    writer_->raise_meta("last_seq", static_cast<std::int64_t>(last_seq));
    writer_->raise_meta("last_time", last_time);
    writer_->sweep(kSweptRows + 2 * events.size());
    return finish();
  }

  Status touch_time(TimeMs at) override {
    if (Status good = begin(); !good.ok()) return good;
    writer_->raise_meta("last_time", at);
    return finish();
  }

  Status set_meta(std::string_view key, std::string_view value) override {
    if (is_reserved_meta_key(key)) {
      return Error{ErrorCode::kInternal,
                   "store " + path_ + ": the key " + std::string(key) + " is the store's own",
                   "",
                   {}};
    }
    if (Status good = begin(); !good.ok()) return good;
    writer_->set_meta(key, value);
    return finish();
  }

  Result<std::optional<std::string>> get_meta(std::string_view key) override {
    std::optional<std::string> value;
    {
      Statement rows(*database_, "SELECT value FROM meta WHERE key = ?");
      rows.start(key);
      if (rows.row()) value = std::string(rows.bytes(0));
    }
    if (!database_->ok()) return take_error();
    return value;
  }

  Result<bool> tidy(const Retention& retention) override {
    if (Status good = begin(); !good.ok()) return good.error();
    const bool swept = !writer_->sweep(kTidiedRows);
    const bool more = writer_->history().tidy(retention);
    if (Status done = finish(); !done.ok()) return done.error();
    return more || !swept;
  }

  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    if (Status good = begin(); !good.ok()) return good;
    for (const SeriesRow& row : rows) writer_->put_series(row);
    for (const SeriesRetention& step : keep) writer_->forget_series(step, kTidiedSeries);
    return finish();
  }

  Result<std::unique_ptr<History>> history() override {
    return open_sqlite_history(path_, vfs_, codec_);
  }

 private:
  // A file that was cut off is not touched, and one that has no name any more is not written.
  Status begin() {
    if (Status same = same_file(); !same.ok()) return same;
    database_->begin();
    return Ok{};
  }

  Status finish() {
    if (Status same = same_file(); !same.ok()) {
      database_->abandon();
      return same;
    }
    if (!database_->end()) return take_error();
    return Ok{};
  }

  Status same_file() { return running_ && vfs_.empty() ? file_.check() : Status(Ok{}); }

  // An empty file is a new store to SQLite, which would count the jobs from 1 again. One that was
  // only just made when its JobTracker was killed is new, and so is one that is not there.
  Status check_not_emptied() {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path_, error);
    if (error == std::errc::no_such_file_or_directory) lock_.say_written(false);
    if (error || bytes > 0) return Ok{};
    const auto log_bytes = std::filesystem::file_size(path_ + "-wal", error);
    if (!lock_.written() && (error || log_bytes == 0)) return Ok{};
    return Error{ErrorCode::kStoreFailed,
                 "store " + path_ + " has 0 bytes, but has been a store: it was emptied",
                 "restore a copy (docs/reliability.md), or remove the file to begin with no jobs",
                 {}};
  }

  Error take_error() {
    Error error = running_
                      ? explain_running_error(path_, database_->code(), database_->message())
                      : explain_sqlite_error(path_, database_->code(), database_->message());
    database_->clear_error();
    return error;
  }

  const std::string path_;
  const SpecCodec codec_;
  const std::string vfs_;
  const std::size_t finished_jobs_limit_;
  StoreLock lock_;  // before the connection, and longer, as the next
  StoreFile file_;
  bool running_ = false;  // after load()
  std::optional<Database> database_;
  std::unique_ptr<SqliteWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, SpecCodec codec,
                                                 SqliteStoreOptions options) {
  WEIR_CHECK(codec.encode && codec.decode, "the store can write and read specs");
  if (options.vfs.empty()) {
    if (auto error = examine_store_path(path)) return *error;
  }
  auto store = std::make_unique<SqliteStore>(path, std::move(codec), options);
  Status opened = store->open(options);
  if (!opened.ok()) return opened.error();
  return std::unique_ptr<Store>(std::move(store));
}

std::unique_ptr<Store> make_memory_store(SpecCodec codec, std::size_t finished_jobs_limit) {
  static std::atomic<std::uint64_t> made = 0;
  SqliteStoreOptions options;
  options.finished_jobs_limit = finished_jobs_limit;
  options.vfs = kMemory;
  auto store = open_sqlite_store("/weir-" + std::to_string(++made), std::move(codec), options);
  WEIR_CHECK(store.ok(), "SQLite opens a database in memory");
  return std::move(store).value();
}

}  // namespace weir
