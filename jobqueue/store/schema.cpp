#include "jobqueue/store/schema.h"

#include <cstdint>

namespace weir {
namespace {

constexpr std::int64_t kApplicationId = 0x57454952;  // "WEIR", in the file's header

// A job's spec has a table of its own: it may be large, and SQLite writes a whole row for a change
// of one column. The partial indexes let a start look at unfinished and newest finished jobs only,
// however long the history is. `ended` lists the jobs that are over and may still have more
// rows in task_done than are kept; they are removed little by little.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  state INTEGER NOT NULL,
  kill_requested INTEGER NOT NULL DEFAULT 0,
  submitted_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL DEFAULT 0,
  diagnostics TEXT NOT NULL DEFAULT ''
);
CREATE INDEX jobs_unfinished ON jobs (id) WHERE state < 2;
CREATE INDEX jobs_finished ON jobs (finished_at, id) WHERE state >= 2;

CREATE TABLE specs (
  job INTEGER PRIMARY KEY REFERENCES jobs (id),
  spec BLOB NOT NULL
);

CREATE TABLE task_done (
  job INTEGER NOT NULL REFERENCES jobs (id),
  kind INTEGER NOT NULL,
  task INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  tracker TEXT NOT NULL,
  incarnation INTEGER NOT NULL,
  counters TEXT,
  PRIMARY KEY (job, kind, task)
) WITHOUT ROWID;

CREATE TABLE task_failures (
  job INTEGER NOT NULL REFERENCES jobs (id),
  kind INTEGER NOT NULL,
  task INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (job, kind, task)
) WITHOUT ROWID;

CREATE TABLE commits (
  job INTEGER NOT NULL REFERENCES jobs (id),
  kind INTEGER NOT NULL,
  task INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  tracker TEXT NOT NULL,
  PRIMARY KEY (job, kind, task)
) WITHOUT ROWID;

CREATE TABLE ended (
  job INTEGER PRIMARY KEY REFERENCES jobs (id)
);

CREATE TABLE queues (
  path TEXT PRIMARY KEY,
  stopped INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// What queues are owed, and what the totals were.
constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE claims (
  id INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  kind INTEGER NOT NULL,
  slots INTEGER NOT NULL,
  born INTEGER NOT NULL
);

CREATE TABLE trackers (
  name TEXT PRIMARY KEY,
  map_slots INTEGER NOT NULL,
  reduce_slots INTEGER NOT NULL,
  memory_mb INTEGER NOT NULL,
  vcores INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// The pool that a job was moved into.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE jobs ADD COLUMN pool TEXT NOT NULL DEFAULT '';
)sql";

// One row for a job that is over, which stays when its other rows go. A job that ended under an
// older version gets its row when those go. Counters come last: a list need not read them.
constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE jobs ADD COLUMN cleanup INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_to_clean_up ON jobs (id) WHERE cleanup;

CREATE TABLE history (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  queue TEXT NOT NULL,
  output TEXT NOT NULL,
  priority INTEGER NOT NULL,
  state INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  maps INTEGER NOT NULL,
  maps_succeeded INTEGER NOT NULL,
  maps_failed INTEGER NOT NULL,
  maps_killed INTEGER NOT NULL,
  reduces INTEGER NOT NULL,
  reduces_succeeded INTEGER NOT NULL,
  reduces_failed INTEGER NOT NULL,
  reduces_killed INTEGER NOT NULL,
  diagnostics TEXT NOT NULL,
  counters TEXT NOT NULL
);
CREATE INDEX history_finished ON history (finished_at, id);

CREATE TABLE failed_attempts (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  task INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  tracker TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  diagnostics TEXT NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;
)sql";

// Trackers that are to drain or stop, and their faults (jobs that succeeded in spite of them).
constexpr std::string_view kVersion5 = R"sql(
CREATE TABLE tracker_orders (
  name TEXT PRIMARY KEY,
  ordered INTEGER NOT NULL,
  incarnation INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE tracker_faults (
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  job INTEGER NOT NULL,
  incarnation INTEGER NOT NULL,
  PRIMARY KEY (name, at, job)
) WITHOUT ROWID;
)sql";

// Why trackers are to drain or stop.
constexpr std::string_view kVersion6 = R"sql(
ALTER TABLE tracker_orders ADD COLUMN reason TEXT NOT NULL DEFAULT '';
)sql";

// When the attempt that did a task ran.
constexpr std::string_view kVersion7 = R"sql(
ALTER TABLE task_done ADD COLUMN launched_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task_done ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0;
)sql";

// Jobs that were held and are no longer, and until when one with a time limit may run.
constexpr std::string_view kVersion8 = R"sql(
ALTER TABLE jobs ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN deadline INTEGER NOT NULL DEFAULT 0;
)sql";

// Which settings there were; of a policy that was set by command, without a text. What is in force
// when the table comes is the first.
constexpr std::string_view kVersion9 = R"sql(
CREATE TABLE settings_history (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  policy TEXT NOT NULL,
  source TEXT NOT NULL,
  text TEXT
);
INSERT INTO settings_history (at, by, policy, source, text)
  SELECT 0, '', ifnull((SELECT value FROM meta WHERE key = 'policy'), ''),
    ifnull((SELECT value FROM meta WHERE key = 'settings_source'), 'settings'), value
  FROM meta WHERE key = 'settings_text' AND value <> '';
)sql";

// So that a start needs no specs of jobs that are over. NULL: of an older version, which kept them.
constexpr std::string_view kVersion10 = R"sql(
ALTER TABLE history ADD COLUMN submission TEXT;
ALTER TABLE history ADD COLUMN time_limit INTEGER NOT NULL DEFAULT 0;
)sql";

// What queues had over time, in pieces (tracker/series).
constexpr std::string_view kVersion11 = R"sql(
CREATE TABLE series (
  step INTEGER NOT NULL,
  start INTEGER NOT NULL,
  series TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (step, start, series)
) WITHOUT ROWID;
)sql";

// What one task of each kind of a job takes, where containers count.
constexpr std::string_view kVersion12 = R"sql(
CREATE TABLE containers (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  amounts TEXT NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;

CREATE TABLE tracker_named (
  tracker TEXT NOT NULL,
  name TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (tracker, name)
) WITHOUT ROWID;

CREATE TABLE history_groups (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  tasks INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  killed INTEGER NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;
)sql";

// Trackers that were lost, until they come back or are forgotten.
constexpr std::string_view kVersion13 = R"sql(
CREATE TABLE lost_trackers (
  name TEXT PRIMARY KEY,
  why TEXT NOT NULL,
  host TEXT NOT NULL,
  rack TEXT NOT NULL,
  last_heartbeat INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// What jobs were submitted with, for as long as there are records of them (asked_rows.h).
constexpr std::string_view kVersion14 = R"sql(
CREATE TABLE asked (
  job INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL,
  spec BLOB NOT NULL
);
)sql";

// When attempts that failed were launched; of a task the first of them. Whether a drain goes on
// when a stop is over. How long tasks of services have rested last, and until when.
constexpr std::string_view kVersion15 = R"sql(
ALTER TABLE failed_attempts ADD COLUMN launched_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task_failures ADD COLUMN launched_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tracker_orders ADD COLUMN drain INTEGER NOT NULL DEFAULT 0;

CREATE TABLE task_rests (
  job INTEGER NOT NULL REFERENCES jobs (id),
  kind INTEGER NOT NULL,
  task INTEGER NOT NULL,
  pause INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (job, kind, task)
) WITHOUT ROWID;
)sql";

// How many attempts of a job were killed, and when the first of them was launched.
constexpr std::string_view kVersion16 = R"sql(
CREATE TABLE killed_attempts (
  job INTEGER NOT NULL REFERENCES jobs (id),
  kind INTEGER NOT NULL,
  count INTEGER NOT NULL,
  launched_at INTEGER NOT NULL,
  PRIMARY KEY (job, kind)
) WITHOUT ROWID;
)sql";

// What queues and pools have lost to preemption within the last hour.
constexpr std::string_view kVersion17 = R"sql(
CREATE TABLE kill_losses (
  at INTEGER NOT NULL,
  queue TEXT NOT NULL,
  pool TEXT NOT NULL,
  slot_ms INTEGER NOT NULL
);
CREATE INDEX kill_losses_by_time ON kill_losses (at);
)sql";

constexpr std::string_view kMigrations[] = {kVersion1, kVersion2, kVersion3, kVersion4,
                                            kVersion5, kVersion6, kVersion7, kVersion8,
                                            kVersion9, kVersion10, kVersion11, kVersion12,
                                            kVersion13, kVersion14, kVersion15, kVersion16,
                                            kVersion17};

Error refusal(std::string message, std::string hint) {
  return {ErrorCode::kStoreFailed, std::move(message), std::move(hint), {}};
}

}  // namespace

std::span<const std::string_view> store_migrations() {
  return kMigrations;
}

Status migrate(Database& database, const std::string& name,
               std::span<const std::string_view> migrations) {
  const std::int64_t newest = static_cast<std::int64_t>(migrations.size());
  const std::int64_t version = database.integer("PRAGMA user_version");
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!database.ok()) return Ok{};
  if (application != kApplicationId && (application != 0 || version != 0 || tables != 0)) {
    return refusal("store " + name + " is an SQLite database, but not one of Weir's",
                   "name another file in store.sqlite; a new one is created");
  }
  if (version < 0 || version > newest) {
    return refusal("store " + name + " has schema version " + std::to_string(version) +
                       ", this weir knows versions up to " + std::to_string(newest),
                   "start the newer weir that wrote it, or restore a copy from before");
  }
  if (version == newest && application == kApplicationId) return Ok{};
  database.begin();
  for (std::int64_t step = version; step < newest; ++step) {
    database.exec(std::string(migrations[static_cast<std::size_t>(step)]));
  }
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.exec("PRAGMA user_version = " + std::to_string(newest));
  database.end();
  return Ok{};
}

}  // namespace weir
