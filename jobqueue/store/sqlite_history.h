// History in SQLite. HistoryWriter belongs to the store's own connection and runs within its
// transactions: it keeps the records, and tidies up in batches that are bounded by rows and by
// bytes of specs. The reader has a read-only connection of its own: in WAL mode it sees the last
// commit there was when its query began, whatever is being written meanwhile.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "jobqueue/model/event.h"
#include "jobqueue/store/asked_rows.h"
#include "jobqueue/store/history.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store.h"

namespace weir {

class HistoryWriter {
 public:
  HistoryWriter(Database& database, const SpecCodec& codec);

  void put(const JobRecord& record);
  void submitted(JobId job, const JobSpec& spec);
  void failed(const AttemptFailed& fact, TimeMs at);
  void killed(const TaskKey& task);  // an attempt, after the end of its job
  void put(const SettingsChanged& fact, TimeMs at);
  void put(const PolicyChanged& fact, TimeMs at);
  std::optional<JobRecord> find(JobId job);  // an SQLite error stays in the database
  // One batch; true: there is more.
  bool tidy(const Retention& retention);

 private:
  // Of a list from the oldest end on: where that begins which stays.
  struct Cutoff {
    std::int64_t at = 0;
    std::int64_t id = 0;
  };
  static Cutoff cutoff(Statement& nth, TimeMs before, std::size_t at_most);
  std::size_t remove_jobs();
  std::size_t remove_records();
  void remove_job(std::int64_t job);
  void record_from_spec(std::int64_t job);

  Database& database_;
  const SpecCodec& codec_;
  AskedRows asked_;
  // Looked up once for all the batches of one pass: it means a walk over what stays.
  bool more_ = false;  // the last batch was not the last of its pass
  Retention retention_;
  Cutoff jobs_cutoff_, records_cutoff_;
  Statement put_, find_, exists_, put_group_, find_groups_, remove_groups_;
  Statement put_failed_, bound_failed_, remove_failed_;
  Statement job_killed_, group_killed_;
  Statement nth_finished_, to_remove_, job_and_spec_, remove_spec_, remove_done_, remove_job_;
  Statement nth_record_, old_records_, remove_record_;
  Statement put_settings_, put_policy_, bound_settings_;
};

Result<std::unique_ptr<History>> open_sqlite_history(const std::string& path,
                                                     const std::string& vfs, SpecCodec codec);

}  // namespace weir
