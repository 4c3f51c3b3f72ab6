#include "jobqueue/store/sqlite_history.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "jobqueue/store/counters_text.h"
#include "jobqueue/store/history_rows.h"
#include "jobqueue/store/store_errors.h"

namespace weir {
namespace {

// One batch. Freeing a spec costs a look at each of its pages, so a job of a million splits is a
// batch alone.
constexpr std::size_t kJobsPerBatch = 100;
constexpr std::int64_t kSpecBytesPerBatch = 4 * 1024 * 1024;

}  // namespace

HistoryWriter::HistoryWriter(Database& database, const SpecCodec& codec)
    : database_(database),
      codec_(codec),
      asked_(database),
      put_(database, "INSERT OR REPLACE INTO history (" WEIR_RECORD_COLUMNS
                     ", " WEIR_WHOLE_COLUMNS
                     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      find_(database, "SELECT " WEIR_RECORD_COLUMNS ", " WEIR_WHOLE_COLUMNS
                      " FROM history WHERE id = ?"),
      exists_(database, "SELECT 1 FROM history WHERE id = ?"),
      put_group_(database,
                 "INSERT OR REPLACE INTO history_groups"
                 " (job, number, name, tasks, succeeded, failed, killed)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?)"),
      find_groups_(database, kGroups),
      remove_groups_(database, "DELETE FROM history_groups WHERE job = ?"),
      put_failed_(database,
                  "INSERT INTO failed_attempts"
                  " (job, number, kind, task, attempt, tracker, ended_at, diagnostics,"
                  " launched_at)"
                  " SELECT ?1, 1 + ifnull((SELECT max(number) FROM failed_attempts WHERE job = ?1),"
                  " 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8"
                  " WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND state < 2)"),
      bound_failed_(database,
                    "DELETE FROM failed_attempts WHERE job = ?1 AND number <="
                    " (SELECT max(number) FROM failed_attempts WHERE job = ?1) - ?2"),
      remove_failed_(database, "DELETE FROM failed_attempts WHERE job = ?"),
      job_killed_(database, "UPDATE history SET maps_killed = maps_killed + (?2 = 0),"
                            " reduces_killed = reduces_killed + (?2 = 1) WHERE id = ?1"),
      group_killed_(database,
                    "UPDATE history_groups SET killed = killed + 1 WHERE job = ? AND number = ?"),
      nth_finished_(database,
                    "SELECT finished_at, id FROM jobs WHERE state >= 2"
                    " ORDER BY finished_at DESC, id DESC LIMIT 1 OFFSET ?"),
      // Most rows of its tasks go first, by the writer's sweep.
      to_remove_(database,
                 "SELECT j.id, ifnull(length(s.spec), 0)"
                 " + 100 * (SELECT count(*) FROM task_done t WHERE t.job = j.id)"
                 " FROM jobs j LEFT JOIN specs s"
                 " ON s.job = j.id WHERE j.state >= 2 AND (j.finished_at, j.id) <= (?1, ?2)"
                 " AND NOT j.cleanup AND NOT EXISTS (SELECT 1 FROM ended e WHERE e.job = j.id)"
                 " ORDER BY j.finished_at, j.id LIMIT ?3"),
      job_and_spec_(database,
                    "SELECT j.queue, j.priority, j.state, j.submitted_at, j.finished_at,"
                    " j.diagnostics, s.spec FROM jobs j JOIN specs s ON s.job = j.id"
                    " WHERE j.id = ?"),
      remove_spec_(database, "DELETE FROM specs WHERE job = ?"),
      remove_done_(database, "DELETE FROM task_done WHERE job = ?"),
      remove_job_(database, "DELETE FROM jobs WHERE id = ?"),
      nth_record_(database,
                  "SELECT finished_at, id FROM history"
                  " ORDER BY finished_at DESC, id DESC LIMIT 1 OFFSET ?"),
      old_records_(database,
                   "SELECT h.id FROM history h WHERE (h.finished_at, h.id) <= (?1, ?2)"
                   " AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = h.id)"
                   " ORDER BY h.finished_at, h.id LIMIT ?3"),
      remove_record_(database, "DELETE FROM history WHERE id = ?"),
      put_settings_(database,
                    "INSERT INTO settings_history (number, at, by, policy, source, text)"
                    " VALUES (nullif(?, 0), ?, ?, ?, ?, ?)"),
      put_policy_(database,
                  "INSERT INTO settings_history (number, at, by, policy, source)"
                  " VALUES (nullif(?, 0), ?, ?, ?, '')"),
      bound_settings_(database,
                      "DELETE FROM settings_history WHERE number <="
                      " (SELECT max(number) FROM settings_history) - ?") {}

void HistoryWriter::put(const JobRecord& record) {
  const auto& maps = record.tasks[index(TaskKind::kMap)];
  const auto& reduces = record.tasks[index(TaskKind::kReduce)];
  put_.run(record.job.value, record.name, record.user, record.queue, record.output,
           static_cast<int>(record.priority), static_cast<int>(record.state), record.submitted_at,
           record.started_at, record.finished_at, maps.total, maps.succeeded, maps.failed_attempts,
           maps.killed_attempts, reduces.total, reduces.succeeded, reduces.failed_attempts,
           reduces.killed_attempts, record.diagnostics, encode_counters(record.counters),
           record.submission, record.time_limit_ms);
  for (std::size_t i = 0; i < record.groups.size(); ++i) {
    const JobRecord::Group& group = record.groups[i];
    put_group_.run(record.job.value, i, group.name, group.tasks.total, group.tasks.succeeded,
                   group.tasks.failed_attempts, group.tasks.killed_attempts);
  }
}

void HistoryWriter::submitted(JobId job, const JobSpec& spec) {
  asked_.put(job.value, codec_.encode(asked(spec)));
}

void HistoryWriter::failed(const AttemptFailed& fact, TimeMs at) {
  const TaskKey& task = fact.attempt.task;
  put_failed_.run(task.job.value, index(task.kind), task.index, fact.attempt.attempt, fact.tracker,
                  at, fact.diagnostics, fact.launched_at);
  bound_failed_.run(task.job.value, kFailedAttemptsKept);
}

void HistoryWriter::killed(const TaskKey& task) {
  if (is_group(task.kind))
    return group_killed_.run(task.job.value, group_number(task.kind));
  job_killed_.run(task.job.value, index(task.kind));
}

void HistoryWriter::put(const SettingsChanged& fact, TimeMs at) {
  const Settings& settings = *fact.settings;
  put_settings_.run(fact.number, at, fact.by, settings.policy, settings.source, settings.text);
  bound_settings_.run(kSettingsKept);
}

void HistoryWriter::put(const PolicyChanged& fact, TimeMs at) {
  put_policy_.run(fact.number, at, fact.by, fact.policy);
  bound_settings_.run(kSettingsKept);
}

std::optional<JobRecord> HistoryWriter::find(JobId job) {
  return whole_record(find_, find_groups_, job);
}

bool HistoryWriter::tidy(const Retention& retention) {
  if (!more_ || !(retention == retention_)) {
    jobs_cutoff_ = cutoff(nth_finished_, retention.finished_before, retention.finished_at_most);
    records_cutoff_ = cutoff(nth_record_, retention.history_before, retention.history_at_most);
    retention_ = retention;
  }
  const bool jobs = remove_jobs() >= kJobsPerBatch;
  const bool records = remove_records() >= kJobsPerBatch;
  const bool texts = asked_.bound();
  more_ = database_.ok() && (jobs || records || texts);
  return more_;
}

HistoryWriter::Cutoff HistoryWriter::cutoff(Statement& nth, TimeMs before, std::size_t at_most) {
  Cutoff last{before - 1, INT64_MAX};
  if (at_most > static_cast<std::size_t>(INT64_MAX)) return last;
  nth.start(static_cast<std::int64_t>(at_most));
  if (nth.row() && nth.integer(0) > last.at) last = {nth.integer(0), nth.integer(1)};
  nth.reset();
  return last;
}

std::size_t HistoryWriter::remove_jobs() {
  std::vector<std::int64_t> jobs;
  std::int64_t bytes = 0;
  to_remove_.start(jobs_cutoff_.at, jobs_cutoff_.id, kJobsPerBatch);
  bool full = false;
  while (!full && to_remove_.row()) {
    jobs.push_back(to_remove_.integer(0));
    bytes += to_remove_.integer(1);
    full = bytes > kSpecBytesPerBatch;
  }
  to_remove_.reset();
  for (const std::int64_t job : jobs) remove_job(job);
  return full ? kJobsPerBatch : jobs.size();
}

void HistoryWriter::remove_job(std::int64_t job) {
  exists_.start(job);
  const bool recorded = exists_.row();
  exists_.reset();
  if (!recorded) record_from_spec(job);
  remove_spec_.run(job);
  remove_done_.run(job);
  remove_job_.run(job);
}

// Of a job that ended before there was a history: what its spec and its row tell.
void HistoryWriter::record_from_spec(std::int64_t job) {
  job_and_spec_.start(job);
  JobRecord record;
  bool found = false;
  if (job_and_spec_.row()) {
    record.job = JobId(static_cast<std::size_t>(job));
    record.queue = job_and_spec_.bytes(0);
    record.priority = static_cast<Priority>(job_and_spec_.integer(1));
    record.state = static_cast<JobState>(job_and_spec_.integer(2));
    record.submitted_at = job_and_spec_.integer(3);
    record.finished_at = job_and_spec_.integer(4);
    record.diagnostics = job_and_spec_.bytes(5);
    const Result<JobSpec> spec = codec_.decode(job_and_spec_.bytes(6));
    found = spec.ok();
    if (found) {
      record.name = spec->name;
      record.user = spec->user;
      record.output = spec->output;
      record.submission = spec->submission;
      record.time_limit_ms = spec->time_limit_ms;
      for (std::size_t kind = 0; kind < std::size(record.tasks); ++kind) {
        record.tasks[kind].total = spec->tasks(kTaskKinds[kind]);
        if (record.state == JobState::kSucceeded)
          record.tasks[kind].succeeded = record.tasks[kind].total;
      }
    }
  }
  job_and_spec_.reset();
  if (found) put(record);
}

std::size_t HistoryWriter::remove_records() {
  std::vector<std::int64_t> jobs;
  old_records_.start(records_cutoff_.at, records_cutoff_.id, kJobsPerBatch);
  while (old_records_.row()) jobs.push_back(old_records_.integer(0));
  old_records_.reset();
  for (const std::int64_t job : jobs) {
    remove_record_.run(job);
    remove_groups_.run(job);
    remove_failed_.run(job);
    asked_.remove(job);
  }
  return jobs.size();
}

// --- Reading ---

namespace {

// A queue stands for all below it: what begins with `queue.` comes before `queue/`.
#define WEIR_LIST(BEHIND, ORDER)                                                              \
  "SELECT " WEIR_RECORD_COLUMNS                                                               \
  " FROM history WHERE finished_at >= ?1 AND finished_at < ?2 AND (?3 = '' OR user = ?3)"     \
  " AND (?4 = '' OR queue = ?4 OR (queue >= ?4 || '.' AND queue < ?4 || '/'))"                \
  " AND (?5 = 0 OR ?5 >> state & 1)"                                                          \
  " AND (?6 = 0 OR (finished_at, id) " BEHIND                                                 \
  " (SELECT finished_at, id FROM history WHERE id = ?6))"                                     \
  " ORDER BY finished_at " ORDER ", id " ORDER
constexpr const char* kNewestFirst = WEIR_LIST("<", "DESC");
constexpr const char* kOldestFirst = WEIR_LIST(">", "ASC");
#undef WEIR_LIST

class SqliteHistory final : public History {
 public:
  SqliteHistory(const std::string& path, const std::string& vfs, SpecCodec codec)
      : path_(path), codec_(std::move(codec)), database_(path, Database::Access::kRead, vfs) {
    database_.busy_timeout(2'000);
    database_.exec("PRAGMA mmap_size = 0");
  }

  Result<std::vector<JobRecord>> list(const HistoryQuery& query) override {
    std::vector<JobRecord> out;
    {
      std::uint32_t states = 0;
      for (const JobState state : query.states) states |= 1u << static_cast<int>(state);
      Statement groups(database_, kGroups);
      Statement rows(database_, query.oldest_first ? kOldestFirst : kNewestFirst);
      rows.start(query.since, query.before, query.user, query.queue, states, query.before_job);
      while (out.size() < query.limit && rows.row()) {
        if (!query.named || query.named(rows.bytes(1))) out.push_back(record_of(rows));
      }
      for (JobRecord& record : out) add_groups(groups, record);
    }
    if (auto error = take_error()) return *error;
    return out;
  }

  Result<std::optional<JobRecord>> find(JobId job) override {
    std::optional<JobRecord> out;
    {
      Statement row(database_, "SELECT " WEIR_RECORD_COLUMNS ", " WEIR_WHOLE_COLUMNS
                               " FROM history WHERE id = ?");
      Statement groups(database_, kGroups);
      out = whole_record(row, groups, job);
    }
    if (auto error = take_error()) return *error;
    return out;
  }

  Result<std::optional<JobSpec>> asked(JobId job) override {
    std::optional<std::string> bytes;
    {
      Statement row(database_, "SELECT spec FROM asked WHERE job = ?");
      row.start(job.value);
      if (row.row()) bytes = std::string(row.bytes(0));
    }
    if (auto error = take_error()) return *error;
    if (!bytes) return std::optional<JobSpec>();
    Result<JobSpec> spec = codec_.decode(*bytes);
    if (!spec) return spec.error();
    return std::optional<JobSpec>(std::move(*spec));
  }

  Result<std::vector<EndedAttempt>> attempts(JobId job) override {
    std::vector<EndedAttempt> out;
    const auto read = [&](const char* sql, bool failed) {
      Statement rows(database_, sql);
      rows.start(job.value);
      while (rows.row()) {
        const auto kind = static_cast<TaskKind>(std::clamp<std::int64_t>(
            rows.integer(0), 0, static_cast<std::int64_t>(index(group_kind(kGroupsAtMost - 1)))));
        out.push_back({{{job, kind, count(rows, 1)}, count(rows, 2)},
                       std::string(rows.bytes(3)),
                       rows.integer(4),
                       rows.integer(5),
                       failed,
                       std::string(rows.bytes(6))});
      }
    };
    read("SELECT kind, task, attempt, tracker, launched_at, ended_at, diagnostics"
         " FROM failed_attempts WHERE job = ? ORDER BY number",
         true);
    read("SELECT kind, task, attempt, tracker, launched_at, ended_at, ''"
         " FROM task_done WHERE job = ? ORDER BY kind, task",
         false);
    if (auto error = take_error()) return *error;
    return out;
  }

  Result<std::vector<SettingsRecord>> settings() override {
    std::vector<SettingsRecord> out;
    {
      Statement rows(database_,
                     "SELECT number, at, by, policy, source FROM settings_history"
                     " ORDER BY number DESC");
      rows.start();
      while (rows.row()) {
        out.push_back({static_cast<std::uint64_t>(rows.integer(0)), rows.integer(1),
                       std::string(rows.bytes(2)), std::string(rows.bytes(3)),
                       std::string(rows.bytes(4))});
      }
    }
    if (auto error = take_error()) return *error;
    return out;
  }

  Result<std::optional<std::string>> settings_text(std::uint64_t number) override {
    std::optional<std::string> out;
    {
      Statement row(database_,
                    "SELECT text FROM settings_history WHERE number = ? AND text IS NOT NULL");
      row.start(number);
      if (row.row()) out = std::string(row.bytes(0));
    }
    if (auto error = take_error()) return *error;
    return out;
  }

  Status series(const SeriesVisitor& visit) override {
    return visit_series("SELECT step, start, series, data FROM series WHERE step > 0", visit);
  }

  Status past(const SeriesVisitor& visit) override {
    return visit_series(
        "SELECT step, start, series, data FROM series WHERE step < 0 ORDER BY step, start", visit);
  }

  Status visit_series(const char* select, const SeriesVisitor& visit) {
    {
      Statement rows(database_, select);
      rows.start();
      while (rows.row()) {
        visit({rows.integer(0), rows.integer(1), std::string(rows.bytes(2)),
               std::string(rows.bytes(3))});
      }
    }
    if (auto error = take_error()) return *error;
    return Ok{};
  }

  std::optional<Error> take_error() {
    if (database_.ok()) return std::nullopt;
    Error error = explain_sqlite_error(path_, database_.code(), database_.message());
    database_.clear_error();
    return error;
  }

 private:
  const std::string path_;
  const SpecCodec codec_;
  Database database_;
};

}  // namespace

Result<std::unique_ptr<History>> open_sqlite_history(const std::string& path,
                                                     const std::string& vfs, SpecCodec codec) {
  auto history = std::make_unique<SqliteHistory>(path, vfs, std::move(codec));
  if (auto error = history->take_error()) return *error;
  return std::unique_ptr<History>(std::move(history));
}

#undef WEIR_WHOLE_COLUMNS
#undef WEIR_RECORD_COLUMNS

}  // namespace weir
