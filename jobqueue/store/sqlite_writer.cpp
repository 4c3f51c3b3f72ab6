#include "jobqueue/store/sqlite_writer.h"

#include <string>
#include <variant>

#include "jobqueue/store/amounts_text.h"

namespace weir {

constexpr std::int64_t kLostTrackersKept = 1'000;

// ?1 is the job wherever "unfinished" is asked for.
#define WEIR_IF_UNFINISHED " WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND state < 2)"

SqliteWriter::SqliteWriter(Database& database, const SpecCodec& codec)
    : database_(database),
      codec_(codec),
      history_(database, codec),
      done_(database),
      insert_job_(
          database,
          "INSERT INTO jobs (id, queue, priority, state, submitted_at) VALUES (?, ?, ?, ?, ?)"),
      insert_spec_(database, "INSERT INTO specs (job, spec) VALUES (?, ?)"),
      set_kill_requested_(database, "UPDATE jobs SET kill_requested = 1 WHERE id = ?"),
      set_priority_(database, "UPDATE jobs SET priority = ?2 WHERE id = ?1"),
      set_queue_(database, "UPDATE jobs SET queue = ?2, pool = ?3 WHERE id = ?1"),
      move_jobs_(database, "UPDATE jobs SET queue = ?2 WHERE queue = ?1 AND state < 2"),
      set_released_(database, "UPDATE jobs SET released = 1 WHERE id = ?"),
      set_deadline_(database, "UPDATE jobs SET deadline = ?2 WHERE id = ?1"),
      set_state_(database,
                 "UPDATE jobs SET state = ?2, finished_at = ?3, diagnostics = ?4, cleanup = ?5"
                 " WHERE id = ?1"),
      set_cleaned_up_(database, "UPDATE jobs SET cleanup = 0 WHERE id = ?"),
      set_queue_stopped_(database, "INSERT OR REPLACE INTO queues (path, stopped) VALUES (?, ?)"),
      delete_done_(database, "DELETE FROM task_done WHERE job = ? AND kind = ? AND task = ?"),
      count_failure_(database,
                     "INSERT INTO task_failures (job, kind, task, count, launched_at)"
                     " SELECT ?1, ?2, ?3, 1, ?4" WEIR_IF_UNFINISHED
                     " ON CONFLICT DO UPDATE SET count = count + 1"),
      count_killed_(database,
                    "INSERT INTO killed_attempts (job, kind, count, launched_at)"
                    " SELECT ?1, ?2, 1, ?3" WEIR_IF_UNFINISHED
                    " ON CONFLICT DO UPDATE SET count = count + 1,"
                    " launched_at = min(launched_at, excluded.launched_at)"),
      delete_killed_(database, "DELETE FROM killed_attempts WHERE job = ?"),
      put_loss_(database,
                "INSERT INTO kill_losses (at, queue, pool, slot_ms) VALUES (?, ?, ?, ?)"),
      forget_losses_(database, "DELETE FROM kill_losses WHERE at <= ?"),
      take_loss_back_(database,
                      "DELETE FROM kill_losses WHERE rowid = (SELECT rowid FROM kill_losses"
                      " WHERE at = ? AND queue = ? AND pool = ? AND slot_ms = ? LIMIT 1)"),
      put_rest_(database,
                "INSERT OR REPLACE INTO task_rests (job, kind, task, pause, until)"
                " SELECT ?1, ?2, ?3, ?4, ?5" WEIR_IF_UNFINISHED),
      delete_rests_(database, "DELETE FROM task_rests WHERE job = ?"),
      any_commit_(database, "SELECT 1 FROM commits LIMIT 1"),
      insert_commit_(database,
                     "INSERT OR REPLACE INTO commits (job, kind, task, attempt, tracker)"
                     " SELECT ?1, ?2, ?3, ?4, ?5" WEIR_IF_UNFINISHED),
      delete_commit_(database, "DELETE FROM commits WHERE job = ? AND kind = ? AND task = ?"),
      delete_commit_of_(
          database, "DELETE FROM commits WHERE job = ? AND kind = ? AND task = ? AND attempt = ?"),
      delete_failures_(database, "DELETE FROM task_failures WHERE job = ?"),
      delete_commits_(database, "DELETE FROM commits WHERE job = ?"),
      insert_ended_(database, "INSERT OR IGNORE INTO ended (job) SELECT id FROM jobs WHERE id = ?"),
      next_ended_(database, "SELECT job FROM ended LIMIT 1"),
      delete_ended_(database, "DELETE FROM ended WHERE job = ?"),
      sweep_done_(database,
                  "DELETE FROM task_done WHERE (job, kind, task) IN"
                  " (SELECT job, kind, task FROM task_done WHERE job = ?1 ORDER BY kind, task"
                  " LIMIT ?2 OFFSET ?3)"),
      forget_counters_(database, "UPDATE task_done SET counters = NULL WHERE job = ?"),
      drop_spec_(database,
                 "DELETE FROM specs WHERE job = ?1 AND EXISTS"
                 " (SELECT 1 FROM history WHERE id = ?1 AND submission IS NOT NULL)"),
      put_claim_(database,
                 "INSERT OR REPLACE INTO claims (id, queue, kind, slots, born)"
                 " VALUES (?, ?, ?, ?, ?)"),
      set_claim_slots_(database, "UPDATE claims SET slots = ?2 WHERE id = ?1"),
      delete_claim_(database, "DELETE FROM claims WHERE id = ?"),
      put_tracker_(database,
                   "INSERT OR REPLACE INTO trackers"
                   " (name, map_slots, reduce_slots, memory_mb, vcores) VALUES (?, ?, ?, ?, ?)"),
      delete_tracker_(database, "DELETE FROM trackers WHERE name = ?"),
      put_order_(database,
                 "INSERT OR REPLACE INTO tracker_orders"
                 " (name, ordered, incarnation, at, by, reason, drain)"
                 " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?2 > ?7 AND"
                 " ifnull((SELECT ordered = ?7 OR drain FROM tracker_orders WHERE name = ?1), 0)"),
      delete_order_(database, "DELETE FROM tracker_orders WHERE name = ?"),
      drain_again_(database,
                   "UPDATE tracker_orders SET ordered = ?2, drain = 0 WHERE name = ?1 AND drain"),
      end_stop_(database, "DELETE FROM tracker_orders WHERE name = ? AND ordered >= ?"),
      put_fault_(database,
                 "INSERT OR REPLACE INTO tracker_faults (name, at, job, incarnation)"
                 " VALUES (?, ?, ?, ?)"),
      forget_faults_(database, "DELETE FROM tracker_faults WHERE name = ? AND at < ?"),
      put_lost_(database,
                "INSERT OR REPLACE INTO lost_trackers (name, why, host, rack, last_heartbeat)"
                " VALUES (?, ?, ?, ?, ?)"),
      keep_lost_(database,
                 "DELETE FROM lost_trackers WHERE name IN (SELECT name FROM lost_trackers"
                 " ORDER BY last_heartbeat DESC, name LIMIT -1 OFFSET ?)"),
      delete_lost_(database, "DELETE FROM lost_trackers WHERE name = ?"),
      set_meta_(database, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"),
      raise_meta_(database,
                  "INSERT INTO meta (key, value) VALUES (?, ?)"
                  " ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"),
      // One that rules already, and is set again, goes on ruling.
      policy_began_(database,
                    "INSERT INTO meta (key, value) SELECT 'policy_since', ?2 WHERE NOT EXISTS"
                    " (SELECT 1 FROM meta WHERE key = 'policy' AND value = ?1)"
                    " ON CONFLICT DO UPDATE SET value = excluded.value"),
      // That of the first settings, for as long as nobody and no settings switch.
      first_policy_(database,
                    "INSERT INTO meta (key, value) SELECT 'policy_since', ?1 WHERE NOT EXISTS"
                    " (SELECT 1 FROM meta WHERE key = 'policy') ON CONFLICT DO NOTHING"),
      put_series_(database,
                  "INSERT OR REPLACE INTO series (step, start, series, data) VALUES (?, ?, ?, ?)"),
      forget_series_(database,
                     "DELETE FROM series WHERE (step, start, series) IN"
                     " (SELECT step, start, series FROM series WHERE step = ? AND start < ?"
                     " LIMIT ?)"),
      put_container_(database,
                     "INSERT OR REPLACE INTO containers (job, number, amounts)"
                     " SELECT ?1, ?2, ?3" WEIR_IF_UNFINISHED),
      delete_containers_(database, "DELETE FROM containers WHERE job = ?"),
      put_named_(database,
                 "INSERT OR REPLACE INTO tracker_named (tracker, name, amount) VALUES (?, ?, ?)"),
      delete_named_(database, "DELETE FROM tracker_named WHERE tracker = ?") {}

#undef WEIR_IF_UNFINISHED

void SqliteWriter::begin_events() {
  done_.clear();
  any_commits_.reset();
}

void SqliteWriter::write(const Event& event) {
  visit_written([&](const auto& fact) { apply(fact, event.at); }, event.fact);
}

bool SqliteWriter::sweep(std::size_t rows) {
  while (rows > 0 && database_.ok()) {
    const bool any = next_ended_.row();
    const std::int64_t job = any ? next_ended_.integer(0) : 0;
    next_ended_.reset();
    if (!any) return false;
    sweep_done_.run(job, rows, kDoneTasksKept);
    const auto removed = static_cast<std::size_t>(database_.changed_rows());
    if (removed < rows) {
      forget_counters_.run(job);  // they are in its record,
      drop_spec_.run(job);        // and so is what a start needs of it
      delete_ended_.run(job);
    }
    rows -= removed < rows ? removed + 1 : rows;  // a job without tasks costs something, too
  }
  return true;
}

void SqliteWriter::apply(const JobSubmitted& fact, TimeMs at) {
  WEIR_CHECK(fact.spec != nullptr, "a submitted job has a spec");
  if (!database_.ok()) return;
  insert_job_.run(fact.job.value, fact.queue, static_cast<int>(fact.spec->priority),
                  static_cast<int>(JobState::kWaiting), at);
  insert_spec_.run(fact.job.value, codec_.encode(*fact.spec));
  history_.submitted(fact.job, *fact.spec);
  put_containers(fact.job, fact.containers);
  raise_meta_.run(std::string_view("next_job"), std::int64_t{fact.job.value} + 1);
}

void SqliteWriter::apply(const JobSized& fact, TimeMs) {
  put_containers(fact.job, fact.containers);
}

void SqliteWriter::put_containers(JobId job, const std::vector<Resources>& containers) {
  for (std::size_t i = 0; i < containers.size(); ++i)
    put_container_.run(job.value, i, amounts_text(containers[i]));
}

void SqliteWriter::apply(const JobKillRequested& fact, TimeMs) {
  set_kill_requested_.run(fact.job.value);
}

void SqliteWriter::apply(const PriorityChanged& fact, TimeMs) {
  set_priority_.run(fact.job.value, static_cast<int>(fact.priority));
}

void SqliteWriter::apply(const JobMoved& fact, TimeMs) {
  set_queue_.run(fact.job.value, fact.queue, fact.pool);
}

void SqliteWriter::apply(const JobReleased& fact, TimeMs) {
  set_released_.run(fact.job.value);
}

void SqliteWriter::apply(const JobDeadlineSet& fact, TimeMs) {
  set_deadline_.run(fact.job.value, fact.deadline);
}

void SqliteWriter::apply(const QueueStateChanged& fact, TimeMs) {
  set_queue_stopped_.run(fact.queue, fact.stopped ? 1 : 0);
}

void SqliteWriter::apply(const SettingsChanged& fact, TimeMs at) {
  WEIR_CHECK(fact.settings != nullptr, "changed settings are there");
  set_meta("settings_text", fact.settings->text);
  set_meta("settings_source", fact.settings->source);
  if (!fact.settings->file_hash.empty()) set_meta(kSettingsFileHashKey, fact.settings->file_hash);
  for (const auto& [from, to] : fact.moves) move_jobs_.run(from, to);
  if (fact.number > 0) {
    set_meta("settings_number", std::to_string(fact.number));
    set_meta("settings_at", std::to_string(at));
    set_meta("settings_by", fact.by);
  }
  first_policy_.run(at);
  history_.put(fact, at);
}

void SqliteWriter::apply(const PolicyChanged& fact, TimeMs at) {
  policy_began_.run(fact.policy, at);
  set_meta("policy", fact.policy);
  set_meta("claims_policy", fact.claims_of);
  if (!fact.by.empty()) history_.put(fact, at);
}

void SqliteWriter::apply(const ClaimOpened& fact, TimeMs) {
  put_claim_.run(fact.claim, fact.queue, fact.dimension.value(), fact.slots, fact.born);
  raise_meta("next_claim", static_cast<std::int64_t>(fact.claim) + 1);
}

void SqliteWriter::apply(const ClaimMet& fact, TimeMs) {
  left_of_claim(fact.claim, fact.left);
}

void SqliteWriter::apply(const ClaimDropped& fact, TimeMs) {
  left_of_claim(fact.claim, fact.left);
}

void SqliteWriter::left_of_claim(std::uint64_t claim, std::int64_t slots) {
  if (slots > 0) {
    set_claim_slots_.run(claim, slots);
  } else {
    delete_claim_.run(claim);
  }
}

void SqliteWriter::apply(const TrackerTotal& fact, TimeMs) {
  delete_named_.run(fact.tracker);
  if (fact.total == Resources{}) return delete_tracker_.run(fact.tracker);
  for (const auto& [name, amount] : fact.named) put_named_.run(fact.tracker, name, amount);
  put_tracker_.run(fact.tracker, fact.total[Dimension::kMapSlots],
                   fact.total[Dimension::kReduceSlots], fact.total[Dimension::kMemoryMb],
                   fact.total[Dimension::kVcores]);
}

// Names are the trackers' own, so their number is bounded: those silent for longest go.
void SqliteWriter::apply(const TrackerLost& fact, TimeMs) {
  put_lost_.run(fact.tracker, fact.why, fact.host, fact.rack, fact.last_heartbeat);
  keep_lost_.run(kLostTrackersKept);
}

void SqliteWriter::apply(const TrackerBack& fact, TimeMs) {
  delete_lost_.run(fact.tracker);
}

void SqliteWriter::apply(const TrackersOrdered& fact, TimeMs at) {
  for (const TrackersOrdered::Tracker& tracker : fact.trackers) {
    if (fact.forget) delete_lost_.run(tracker.name);
    if (fact.order != TrackerOrder::kNone) {
      put_order_.run(tracker.name, static_cast<int>(fact.order), tracker.incarnation, at, fact.by,
                     fact.reason, static_cast<int>(TrackerOrder::kDrain));
    } else {
      delete_order_.run(tracker.name);
      forget_faults_.run(tracker.name, INT64_MAX);
    }
  }
}

void SqliteWriter::apply(const TrackerStopEnded& fact, TimeMs) {
  drain_again_.run(fact.tracker, static_cast<int>(TrackerOrder::kDrain));
  end_stop_.run(fact.tracker, static_cast<int>(TrackerOrder::kStop));
}

void SqliteWriter::apply(const TrackerFault& fact, TimeMs at) {
  forget_faults_.run(fact.tracker, fact.forgotten_before);
  put_fault_.run(fact.tracker, at, fact.job.value, fact.incarnation);
}

void SqliteWriter::apply(const TrackerForgiven& fact, TimeMs) {
  forget_faults_.run(fact.tracker, INT64_MAX);
}

void SqliteWriter::apply(const TaskSucceeded& fact, TimeMs at) {
  const TaskKey& task = fact.attempt.task;
  done_.add(fact, at);
  forget_commit(task);
}

// Most tasks need no grant: where nobody has one there is nothing to look for.
void SqliteWriter::forget_commit(const TaskKey& task) {
  if (!any_commits_) {
    any_commits_ = any_commit_.row();
    any_commit_.reset();
  }
  if (*any_commits_) delete_commit_.run(task.job.value, index(task.kind), task.index);
}

void SqliteWriter::apply(const TaskReopened& fact, TimeMs) {
  done_.write();
  delete_done_.run(fact.task.job.value, index(fact.task.kind), fact.task.index);
}

void SqliteWriter::apply(const AttemptFailed& fact, TimeMs at) {
  const TaskKey& task = fact.attempt.task;
  count_failure_.run(task.job.value, index(task.kind), task.index, fact.launched_at);
  delete_commit_of_.run(task.job.value, index(task.kind), task.index, fact.attempt.attempt);
  history_.failed(fact, at);
}

// Of a job that is over its record counts them: the last die after its end.
void SqliteWriter::apply(const AttemptKilled& fact, TimeMs) {
  const TaskKey& task = fact.attempt.task;
  count_killed_.run(task.job.value, index(task.kind), fact.launched_at);
  if (database_.changed_rows() == 0) history_.killed(task);
}

void SqliteWriter::apply(const SlotsLost& fact, TimeMs) {
  const KillLoss& loss = fact.loss;
  forget_losses_.run(loss.at - KillLosses::kWindowMs);
  (fact.taken_back ? take_loss_back_ : put_loss_).run(loss.at, loss.queue, loss.pool, loss.slot_ms);
}

void SqliteWriter::apply(const TaskRested& fact, TimeMs) {
  const TaskKey& task = fact.task;
  put_rest_.run(task.job.value, index(task.kind), task.index, fact.pause_ms, fact.until);
}

void SqliteWriter::apply(const CommitGranted& fact, TimeMs) {
  const TaskKey& task = fact.attempt.task;
  any_commits_ = true;
  insert_commit_.run(task.job.value, index(task.kind), task.index, fact.attempt.attempt,
                     fact.tracker);
}

void SqliteWriter::apply(const JobStateChanged& fact, TimeMs at) {
  const bool over = is_over(fact.state);
  if (over) done_.write();  // from here on its tasks are late
  set_state_.run(fact.job.value, static_cast<int>(fact.state), over ? at : 0, fact.diagnostics,
                 fact.cleanup ? 1 : 0);
  const bool known = database_.changed_rows() > 0;
  if (!over || !known) return;
  if (fact.record != nullptr) history_.put(*fact.record);
  delete_containers_.run(fact.job.value);
  delete_failures_.run(fact.job.value);
  delete_killed_.run(fact.job.value);
  delete_rests_.run(fact.job.value);
  delete_commits_.run(fact.job.value);
  insert_ended_.run(fact.job.value);
}

void SqliteWriter::apply(const JobCleanedUp& fact, TimeMs) {
  set_cleaned_up_.run(fact.job.value);
  if (database_.changed_rows() > 0 && fact.record != nullptr) history_.put(*fact.record);
}

}  // namespace weir
