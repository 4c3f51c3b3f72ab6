// Rows of jobs that are over, as they are read: see sqlite_history.h. One thread each.
#pragma once

#include <memory>
#include <optional>

#include "jobqueue/model/job_record.h"
#include "jobqueue/store/statement.h"

namespace weir {

#define WEIR_RECORD_COLUMNS                                                                       \
  "id, name, user, queue, output, priority, state, submitted_at, started_at, finished_at, maps, " \
  "maps_succeeded, maps_failed, maps_killed, reduces, reduces_succeeded, reduces_failed, "        \
  "reduces_killed, diagnostics"
// What lists leave out.
#define WEIR_WHOLE_COLUMNS "counters, submission, time_limit"

inline constexpr const char* kGroups =
    "SELECT name, tasks, succeeded, failed, killed FROM history_groups WHERE job = ?"
    " ORDER BY number";

std::uint32_t count(Statement& row, int column);  // within 32 bits
JobRecord record_of(Statement& row);              // of WEIR_RECORD_COLUMNS
// `groups`: of kGroups. An application is a record without maps and reduces.
void add_groups(Statement& groups, JobRecord& record);
// With WEIR_WHOLE_COLUMNS from column 19 on. Counters that cannot be read are none: the rest is
// still worth it.
std::optional<JobRecord> whole_record(Statement& find, Statement& groups, JobId job);
// As brief() of its spec, as far as the record knows.
std::shared_ptr<const JobSpec> brief_of(const JobRecord& record);

}  // namespace weir
