#include "jobqueue/store/sqlite_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "jobqueue/store/amounts_text.h"
#include "jobqueue/store/counters_text.h"
#include "jobqueue/store/history_rows.h"

namespace weir {
namespace {

#define WEIR_JOB_COLUMNS                                                                         \
  "SELECT j.id, j.queue, j.priority, j.state, j.kill_requested, j.submitted_at, j.finished_at, " \
  "j.diagnostics, j.pool, j.cleanup, j.released, j.deadline FROM jobs j "
#define WEIR_TASK_TABLE(table, columns)                                    \
  "SELECT j.id, t.kind, t.task, " columns " FROM jobs j CROSS JOIN " table \
  " t ON t.job = j.id WHERE j.state < 2 ORDER BY j.id, t.kind, t.task"

class Loader {
 public:
  Loader(Database& database, const std::string& path, const SpecCodec& codec,
         HistoryWriter& history)
      : database_(database),
        path_(path),
        codec_(codec),
        history_(history),
        spec_(database, "SELECT spec FROM specs WHERE job = ?"),
        to_sweep_(database, "INSERT OR IGNORE INTO ended (job) VALUES (?)") {}

  Result<Snapshot> load(std::size_t finished_jobs_limit) {
    load_settings_stamp();
    load_meta();
    load_queues();
    load_claims();
    load_trackers();
    load_named();
    load_orders();
    load_faults();
    load_lost();
    load_jobs(WEIR_JOB_COLUMNS "WHERE j.state < 2 ORDER BY j.id LIMIT ?", INT64_MAX);
    load_jobs(WEIR_JOB_COLUMNS "WHERE j.cleanup AND j.state >= 2 ORDER BY j.id LIMIT ?", INT64_MAX);
    load_jobs(WEIR_JOB_COLUMNS
              "WHERE j.state >= 2 AND NOT j.cleanup"
              " ORDER BY j.finished_at DESC, j.id DESC LIMIT ?",
              static_cast<std::int64_t>(std::min<std::size_t>(finished_jobs_limit, INT64_MAX)));
    std::sort(snapshot_.jobs.begin(), snapshot_.jobs.end(),
              [](const JobSnapshot& a, const JobSnapshot& b) { return a.job < b.job; });
    guard_next_job();
    load_containers();
    load_done();
    load_failures();
    load_killed();
    load_commits();
    load_rests();
    if (error_) return *error_;
    return std::move(snapshot_);
  }

 private:
  void fail(const std::string& what) {
    if (error_) return;
    error_ = Error{ErrorCode::kStoreFailed,
                   "store " + path_ + " is damaged: " + what,
                   "restore a copy, or start the weir that wrote it",
                   {}};
  }

  // As the history has it; meta, read after it, knows better where that has let go of it.
  void load_settings_stamp() {
    snapshot_.last_settings_number = static_cast<std::uint64_t>(
        database_.integer("SELECT ifnull(max(number), 0) FROM settings_history"));
    Statement row(database_,
                  "SELECT number, at, by FROM settings_history WHERE text IS NOT NULL"
                  " ORDER BY number DESC LIMIT 1");
    row.start();
    if (!row.row()) return;
    snapshot_.settings_stamp = {static_cast<std::uint64_t>(row.integer(0)), row.integer(1),
                                std::string(row.bytes(2))};
  }

  void load_meta() {
    Statement rows(database_, "SELECT key, value FROM meta");
    while (rows.row()) {
      const std::string_view key = rows.bytes(0);
      if (key == "last_time") snapshot_.last_time = rows.integer(1);
      if (key == "last_seq") snapshot_.last_seq = static_cast<std::uint64_t>(rows.integer(1));
      if (key == "epoch") snapshot_.epoch = static_cast<std::uint32_t>(rows.integer(1));
      if (key == "next_job") snapshot_.next_job = static_cast<std::uint32_t>(rows.integer(1));
      if (key == "next_claim") snapshot_.next_claim = static_cast<std::uint64_t>(rows.integer(1));
      if (key == "policy_since") snapshot_.policy_since = rows.integer(1);
      if (key == "settings_number")
        snapshot_.settings_stamp.number = static_cast<std::uint64_t>(rows.integer(1));
      if (key == "settings_at") snapshot_.settings_stamp.at = rows.integer(1);
      if (key == "settings_by") snapshot_.settings_stamp.by = rows.bytes(1);
      if (key == "claims_policy") snapshot_.claims_policy = rows.bytes(1);
      if (key == "policy") snapshot_.policy = rows.bytes(1);
      if (key == "settings_text") snapshot_.settings_text = rows.bytes(1);
      if (key == "settings_source") snapshot_.settings_source = rows.bytes(1);
      if (key == kSettingsFileHashKey) snapshot_.settings_file_hash = rows.bytes(1);
    }
  }

  // Ids never repeat: the number is kept by itself, for the newest jobs may have left the store. A
  // store whose number was lost or put back is not believed against its own rows.
  void guard_next_job() {
    const std::int64_t newest =
        std::max(database_.integer("SELECT ifnull(max(id), 0) FROM jobs"),
                 database_.integer("SELECT ifnull(max(id), 0) FROM history"));
    snapshot_.next_job = std::max(snapshot_.next_job, static_cast<std::uint32_t>(newest + 1));
  }

  void load_queues() {
    Statement rows(database_, "SELECT path FROM queues WHERE stopped ORDER BY path");
    while (rows.row()) snapshot_.stopped_queues.emplace_back(rows.bytes(0));
  }

  // And what kills for them have cost others.
  void load_claims() {
    Statement rows(database_, "SELECT id, kind, queue, slots, born FROM claims ORDER BY id");
    while (!error_ && rows.row()) {
      snapshot_.claims.push_back({.claim = static_cast<std::uint64_t>(rows.integer(0)),
                                  .queue = std::string(rows.bytes(2)),
                                  .dimension = dimension(rows),
                                  .slots = rows.integer(3),
                                  .born = rows.integer(4)});
    }
    Statement lost(database_,
                   "SELECT queue, pool, at, slot_ms FROM kill_losses ORDER BY at, rowid");
    while (lost.row())
      snapshot_.kill_losses.push_back({std::string(lost.bytes(0)), std::string(lost.bytes(1)),
                                       lost.integer(2), lost.integer(3)});
  }

  void load_trackers() {
    Statement rows(database_,
                   "SELECT name, map_slots, reduce_slots, memory_mb, vcores FROM trackers"
                   " ORDER BY name");
    while (rows.row()) {
      snapshot_.trackers.push_back(
          {std::string(rows.bytes(0)),
           Resources{{rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)}}});
    }
  }

  void load_named() {
    Statement rows(database_,
                   "SELECT tracker, name, amount FROM tracker_named ORDER BY tracker, name");
    auto tracker = snapshot_.trackers.begin();  // both by name
    while (rows.row()) {
      const std::string_view of = rows.bytes(0);
      while (tracker != snapshot_.trackers.end() && tracker->name < of) ++tracker;
      if (tracker == snapshot_.trackers.end()) return;
      if (tracker->name == of) tracker->named.emplace(rows.bytes(1), rows.integer(2));
    }
  }

  void load_containers() {
    Statement rows(database_, "SELECT job, amounts FROM containers ORDER BY job, number");
    auto job = snapshot_.jobs.begin();  // by id
    while (!error_ && rows.row()) {
      const auto id = static_cast<std::uint32_t>(rows.integer(0));
      while (job != snapshot_.jobs.end() && job->job.value < id) ++job;
      if (job == snapshot_.jobs.end()) return;
      if (job->job.value != id) continue;
      const auto amounts = parse_amounts(rows.bytes(1));
      if (!amounts) return fail("the containers of " + job_name(job->job) + " cannot be read");
      job->containers.push_back(*amounts);
    }
  }

  void load_orders() {
    Statement rows(database_,
                   "SELECT name, ordered, incarnation, at, by, reason, drain FROM tracker_orders"
                   " ORDER BY name");
    while (!error_ && rows.row()) {
      const std::int64_t order = rows.integer(1);
      if (order < 1 || order > static_cast<int>(TrackerOrder::kStopNow))
        return fail("what is ordered of a tracker is not known");
      snapshot_.tracker_orders.push_back({std::string(rows.bytes(0)),
                                          static_cast<TrackerOrder>(order), rows.integer(2),
                                          rows.integer(3), std::string(rows.bytes(4)),
                                          std::string(rows.bytes(5)), rows.integer(6) != 0});
    }
  }

  void load_faults() {
    Statement rows(database_,
                   "SELECT name, incarnation, at FROM tracker_faults ORDER BY name, at, job");
    while (rows.row()) {
      snapshot_.tracker_faults.push_back(
          {std::string(rows.bytes(0)), rows.integer(1), rows.integer(2)});
    }
  }

  void load_lost() {
    Statement rows(database_,
                   "SELECT name, why, host, rack, last_heartbeat FROM lost_trackers ORDER BY name");
    while (rows.row()) {
      snapshot_.lost_trackers.push_back(
          {std::string(rows.bytes(0)), std::string(rows.bytes(1)), std::string(rows.bytes(2)),
           std::string(rows.bytes(3)), rows.integer(4)});
    }
  }

  void load_jobs(const char* sql, std::int64_t limit) {
    Statement rows(database_, sql);
    rows.start(limit);
    while (!error_ && rows.row()) {
      JobSnapshot job;
      job.job = JobId(static_cast<std::size_t>(rows.integer(0)));
      const std::int64_t priority = rows.integer(2), state = rows.integer(3);
      if (priority < 0 || priority > static_cast<int>(Priority::kVeryLow) || state < 0 ||
          state > static_cast<int>(JobState::kKilled)) {
        return fail(job_name(job.job) + " has no valid priority or state");
      }
      job.queue = rows.bytes(1);
      job.priority = static_cast<Priority>(priority);
      job.state = static_cast<JobState>(state);
      job.kill_requested = rows.integer(4) != 0;
      job.submitted_at = rows.integer(5);
      job.finished_at = rows.integer(6);
      job.diagnostics = rows.bytes(7);
      job.pool = rows.bytes(8);
      job.cleanup = rows.integer(9) != 0;
      job.released = rows.integer(10) != 0;
      job.deadline = rows.integer(11);
      if (is_over(job.state)) {
        load_ended(job);
      } else if (auto spec = stored_spec(job.job)) {
        job.spec = std::make_shared<const JobSpec>(std::move(*spec));
      }
      snapshot_.jobs.push_back(std::move(job));
    }
  }

  std::optional<JobSpec> stored_spec(JobId job) {
    spec_.start(job.value);
    std::optional<JobSpec> out;
    if (!spec_.row()) {
      if (database_.ok()) fail(job_name(job) + " has no spec");
    } else if (Result<JobSpec> spec = codec_.decode(spec_.bytes(0)); spec.ok()) {
      out = std::move(*spec);
    } else {
      fail(job_name(job) + "'s spec cannot be read: " + spec.error().message);
    }
    spec_.reset();
    return out;
  }

  // Its record has all that is needed. An older version kept less in it, and the spec whole, which
  // may be large: that is put right here, once, and the spec goes with the writer's sweep.
  void load_ended(JobSnapshot& job) {
    auto record = history_.find(job.job);
    if (!record || !record->whole) {
      const auto spec = stored_spec(job.job);
      if (!spec) return;
      job.spec = brief(*spec);
      if (!record) return;
      record->submission = spec->submission;
      record->time_limit_ms = spec->time_limit_ms;
      record->whole = true;
      history_.put(*record);
      to_sweep_.run(job.job.value);
    } else {
      job.spec = brief_of(*record);
    }
    job.record = std::make_shared<const JobRecord>(std::move(*record));
  }

  // The job of the present row of a table about tasks; rows come in the order of the jobs.
  JobSnapshot& job_of(Statement& row, std::size_t* cursor) {
    const auto id = static_cast<std::uint32_t>(row.integer(0));
    while (snapshot_.jobs[*cursor].job.value != id) {
      ++*cursor;
      WEIR_CHECK(*cursor < snapshot_.jobs.size(),
                 "every unfinished job has been loaded before its tasks");
    }
    return snapshot_.jobs[*cursor];
  }

  Dimension dimension(Statement& row) {
    const std::int64_t value = row.integer(1);
    if (value >= 0 && value < static_cast<std::int64_t>(kDimensionCount))
      return Dimension::at(static_cast<std::size_t>(value));
    fail("a claim is of no dimension that there is");
    return {};
  }

  TaskKind kind(Statement& row) {
    const std::int64_t kind = row.integer(1);
    const auto kinds =
        static_cast<std::int64_t>(index(TaskKind::kFirstGroup) + kGroupsAtMost);
    if (kind >= 0 && kind < kinds) return static_cast<TaskKind>(kind);
    fail("a task is of no kind that there is");
    return TaskKind::kMap;
  }

  // Many tasks of a job count the same: equal neighbours share one value.
  std::shared_ptr<const Counters> counters(Statement& row, int column) {
    if (row.is_null(column)) return nullptr;
    const std::string_view text = row.bytes(column);
    if (last_counters_ && text == last_counters_text_) return last_counters_;
    auto decoded = decode_counters(text);
    if (!decoded) {
      fail("the counters of a task cannot be read");
      return nullptr;
    }
    last_counters_text_ = text;
    last_counters_ = std::make_shared<const Counters>(std::move(*decoded));
    return last_counters_;
  }

  void load_done() {
    Statement rows(database_, WEIR_TASK_TABLE("task_done",
                                              "t.attempt, t.tracker, t.incarnation,"
                                              " t.counters, t.launched_at"));
    std::size_t cursor = 0;
    while (!error_ && rows.row()) {
      JobSnapshot::DoneTask done;
      done.kind = kind(rows);
      done.index = static_cast<std::uint32_t>(rows.integer(2));
      done.attempt = static_cast<std::uint32_t>(rows.integer(3));
      done.tracker = rows.bytes(4);
      done.incarnation = rows.integer(5);
      done.counters = counters(rows, 6);
      done.launched_at = rows.integer(7);
      job_of(rows, &cursor).done.push_back(std::move(done));
    }
  }

  void load_failures() {
    Statement rows(database_, WEIR_TASK_TABLE("task_failures", "t.count, t.launched_at"));
    std::size_t cursor = 0;
    while (!error_ && rows.row()) {
      job_of(rows, &cursor)
          .failures.push_back({kind(rows), static_cast<std::uint32_t>(rows.integer(2)),
                               static_cast<std::uint32_t>(rows.integer(3)), rows.integer(4)});
    }
  }

  void load_killed() {
    Statement rows(database_,
                   "SELECT j.id, t.kind, t.count, t.launched_at FROM jobs j"
                   " CROSS JOIN killed_attempts t ON t.job = j.id"
                   " WHERE j.state < 2 ORDER BY j.id, t.kind");
    std::size_t cursor = 0;
    while (!error_ && rows.row()) {
      job_of(rows, &cursor)
          .killed.push_back({kind(rows), static_cast<std::uint32_t>(rows.integer(2)),
                             rows.integer(3)});
    }
  }

  void load_rests() {
    Statement rows(database_, WEIR_TASK_TABLE("task_rests", "t.pause, t.until"));
    std::size_t cursor = 0;
    while (!error_ && rows.row()) {
      JobSnapshot& job = job_of(rows, &cursor);
      const TaskKey task{job.job, kind(rows), static_cast<std::uint32_t>(rows.integer(2))};
      job.rests.push_back({task, rows.integer(3), rows.integer(4)});
    }
  }

  void load_commits() {
    Statement rows(database_, WEIR_TASK_TABLE("commits", "t.attempt, t.tracker"));
    std::size_t cursor = 0;
    while (!error_ && rows.row()) {
      JobSnapshot& job = job_of(rows, &cursor);
      const TaskKey task{job.job, kind(rows), static_cast<std::uint32_t>(rows.integer(2))};
      job.commits.push_back(
          {{task, static_cast<std::uint32_t>(rows.integer(3))}, std::string(rows.bytes(4))});
    }
  }

  Database& database_;
  const std::string& path_;
  const SpecCodec& codec_;
  HistoryWriter& history_;
  Statement spec_, to_sweep_;
  Snapshot snapshot_;
  std::optional<Error> error_;
  std::string last_counters_text_;
  std::shared_ptr<const Counters> last_counters_;
};

#undef WEIR_JOB_COLUMNS
#undef WEIR_TASK_TABLE

}  // namespace

Result<Snapshot> load_snapshot(Database& database, const std::string& path, const SpecCodec& codec,
                               HistoryWriter& history, std::size_t finished_jobs_limit) {
  return Loader(database, path, codec, history).load(finished_jobs_limit);
}

}  // namespace weir
