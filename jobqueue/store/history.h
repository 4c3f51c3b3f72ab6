// What the store remembers of jobs that are over: one JobRecord each, from the end of the job until
// it is too old or there are too many, and the newest failed attempts with what they said. The rest
// of a job (spec, tasks, grants) leaves the store as soon as the engine may have forgotten the job;
// which tracker did its first tasks, and so has their logs, is known until then.
// And the newest settings there were, whole, with who applied them.
// A History is the reading side: it has a connection of its own, sees what is on disk, and never
// waits for the writer nor the writer for it. One thread at a time, any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_record.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/time.h"
#include "jobqueue/store/series_rows.h"

namespace weir {

struct HistoryQuery {
  std::string queue;             // dotted path, which stands for all below it, too; empty: all
  std::string user;              // empty: all
  std::vector<JobState> states;  // any of these; none: all
  std::function<bool(std::string_view name)> named;  // empty: all
  TimeMs since = 0;   // ended then or later
  TimeMs before = std::numeric_limits<TimeMs>::max();  // ended earlier than that
  bool oldest_first = false;  // the first to end first; else the last
  std::size_t limit = 1'000;
  std::size_t before_job = 0;  // those that come after this one in the list; 0: from the first on
};

struct EndedAttempt {
  AttemptKey attempt;
  std::string tracker;
  TimeMs launched_at = 0;  // 0: not known
  TimeMs ended_at = 0;     // likewise
  bool failed = false;     // else it has succeeded
  std::string diagnostics;
  friend bool operator==(const EndedAttempt&, const EndedAttempt&) = default;
};

inline constexpr std::size_t kFailedAttemptsKept = 100;  // of one job, the newest
inline constexpr std::size_t kDoneTasksKept = 1'000;     // of a job that is over, maps first

// One change of the settings, or of the policy by command. Numbers rise and do not come again.
struct SettingsRecord {
  std::uint64_t number = 0;
  TimeMs at = 0;       // 0: before there was a history of settings
  std::string by;      // empty: the file that is followed was read
  std::string policy;  // that these settings name, or that was set
  std::string source;  // the settings' name; empty: only the policy was set
  friend bool operator==(const SettingsRecord&, const SettingsRecord&) = default;
};

inline constexpr std::size_t kSettingsKept = 100;  // the newest

class History {
 public:
  virtual ~History() = default;
  // Counters are left out: a list of thousands is for a table.
  virtual Result<std::vector<JobRecord>> list(const HistoryQuery& query) = 0;
  virtual Result<std::optional<JobRecord>> find(JobId job) = 0;
  // What the job was submitted with, as asked() leaves it; also of one that is not over. None: it
  // is not kept (any more).
  virtual Result<std::optional<JobSpec>> asked(JobId job) = 0;
  // Those that failed, oldest first, and then those that succeeded, by task.
  virtual Result<std::vector<EndedAttempt>> attempts(JobId job) = 0;
  // The newest first.
  virtual Result<std::vector<SettingsRecord>> settings() = 0;
  // None: there is no such number (any more), or only the policy was set.
  virtual Result<std::optional<std::string>> settings_text(std::uint64_t number) = 0;
  // All pieces of the queues' figures over time; the row is good for the call.
  virtual Status series(const SeriesVisitor& visit) = 0;
  // And all that is no series, in the order of their starts.
  virtual Status past(const SeriesVisitor& visit) = 0;
};

// What may leave the store. A job whose clean-up is owed stays.
struct Retention {
  TimeMs finished_before = 0;  // all but the record of jobs that ended earlier goes,
  std::size_t finished_at_most = std::numeric_limits<std::size_t>::max();  // and of all but so many
  TimeMs history_before = 0;  // and the record of those that ended earlier than that,
  std::size_t history_at_most = std::numeric_limits<std::size_t>::max();  // and all but so many
  friend bool operator==(const Retention&, const Retention&) = default;
};

}  // namespace weir
