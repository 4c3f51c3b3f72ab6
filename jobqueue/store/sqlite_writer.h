// Turns events into rows: one prepared statement or two a kind of event. Called between begin() and
// end() of a transaction; failures stay in the database until its end. Rows about tasks are written
// for unfinished jobs only, so that none is left behind by a late report; those of a job that ended
// go in slices, a few with every transaction, for a job of a million tasks must not hold up
// everybody's promises. What there is most of, tasks that are done, is gathered within the
// transaction and written in the order of its keys, many rows a statement (done_rows.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "jobqueue/model/event.h"
#include "jobqueue/store/done_rows.h"
#include "jobqueue/store/sqlite_history.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store.h"

namespace weir {

class SqliteWriter {
 public:
  SqliteWriter(Database& database, const SpecCodec& codec);

  // The events of a transaction live until finish_events(), which writes what has gathered.
  void begin_events();
  void write(const Event& event);
  void finish_events() { done_.write(); }
  void set_meta(std::string_view key, std::string_view value) { set_meta_.run(key, value); }
  void raise_meta(std::string_view key, std::int64_t value) { raise_meta_.run(key, value); }
  HistoryWriter& history() { return history_; }
  void put_series(const SeriesRow& row) {
    put_series_.run(row.step, row.start, row.series, row.data);
  }
  // Of a step, those that began earlier than that, up to `rows`.
  void forget_series(const SeriesRetention& keep, std::size_t rows) {
    forget_series_.run(keep.step, keep.before, rows);
  }
  // Removes up to `rows` tasks of jobs that are over; true: there may be more.
  bool sweep(std::size_t rows);

 private:
  void apply(const JobSubmitted& fact, TimeMs at);
  void apply(const JobKillRequested& fact, TimeMs at);
  void apply(const PriorityChanged& fact, TimeMs at);
  void apply(const JobMoved& fact, TimeMs at);
  void apply(const JobReleased& fact, TimeMs at);
  void apply(const JobDeadlineSet& fact, TimeMs at);
  void apply(const JobSized& fact, TimeMs at);
  void apply(const QueueStateChanged& fact, TimeMs at);
  void apply(const SettingsChanged& fact, TimeMs at);
  void apply(const PolicyChanged& fact, TimeMs at);
  void apply(const TaskSucceeded& fact, TimeMs at);
  void apply(const TaskReopened& fact, TimeMs at);
  void apply(const AttemptFailed& fact, TimeMs at);
  void apply(const AttemptKilled& fact, TimeMs at);
  void apply(const SlotsLost& fact, TimeMs at);
  void apply(const TaskRested& fact, TimeMs at);
  void apply(const CommitGranted& fact, TimeMs at);
  void apply(const JobStateChanged& fact, TimeMs at);
  void apply(const JobCleanedUp& fact, TimeMs at);
  void apply(const ClaimOpened& fact, TimeMs at);
  void apply(const ClaimMet& fact, TimeMs at);
  void apply(const ClaimDropped& fact, TimeMs at);
  void apply(const TrackerTotal& fact, TimeMs at);
  void apply(const TrackersOrdered& fact, TimeMs at);
  void apply(const TrackerStopEnded& fact, TimeMs at);
  void apply(const TrackerFault& fact, TimeMs at);
  void apply(const TrackerForgiven& fact, TimeMs at);
  void apply(const TrackerLost& fact, TimeMs at);
  void apply(const TrackerBack& fact, TimeMs at);

  void put_containers(JobId job, const std::vector<Resources>& containers);
  void left_of_claim(std::uint64_t claim, std::int64_t slots);
  void forget_commit(const TaskKey& task);

  Database& database_;
  const SpecCodec& codec_;
  HistoryWriter history_;
  DoneRows done_;
  // Whether the table of commits may have rows: asked when a transaction first wants to know.
  std::optional<bool> any_commits_;
  Statement insert_job_, insert_spec_, set_kill_requested_, set_priority_, set_queue_, move_jobs_,
      set_released_, set_deadline_, set_state_, set_cleaned_up_;
  Statement set_queue_stopped_, delete_done_, count_failure_, count_killed_, delete_killed_,
      put_loss_, forget_losses_, take_loss_back_, put_rest_, delete_rests_;
  Statement any_commit_, insert_commit_, delete_commit_, delete_commit_of_;
  Statement delete_failures_, delete_commits_, insert_ended_, next_ended_, delete_ended_,
      sweep_done_, forget_counters_, drop_spec_;
  Statement put_claim_, set_claim_slots_, delete_claim_, put_tracker_, delete_tracker_;
  Statement put_order_, delete_order_, drain_again_, end_stop_, put_fault_, forget_faults_;
  Statement put_lost_, keep_lost_, delete_lost_;
  Statement set_meta_, raise_meta_, policy_began_, first_policy_;
  Statement put_series_, forget_series_;
  Statement put_container_, delete_containers_, put_named_, delete_named_;
};

}  // namespace weir
