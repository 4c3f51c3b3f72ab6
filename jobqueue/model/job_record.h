// What is kept of a job that is over when all else about it is gone: what people ask about, in one
// piece whose size does not grow with the number of its tasks. Made by the engine with the end of
// the job, and once more when its clean-up is done and the last of its attempts counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/model/counters.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/job_state.h"
#include "jobqueue/model/time.h"

namespace weir {

struct JobRecord {
  struct Tasks {
    std::uint32_t total = 0;
    std::uint32_t succeeded = 0;
    std::uint32_t failed_attempts = 0;
    std::uint32_t killed_attempts = 0;
    friend bool operator==(const Tasks&, const Tasks&) = default;
  };

  JobId job;
  std::string name;
  std::string user;
  std::string queue;  // dotted path of the queue in which it ended
  std::string output;
  Priority priority = Priority::kNormal;
  JobState state = JobState::kSucceeded;
  TimeMs submitted_at = 0;
  TimeMs started_at = 0;  // first launch; 0: nothing of it ever ran
  TimeMs finished_at = 0;
  std::string diagnostics;
  Tasks tasks[kTaskKindCount];  // of an application: nothing, but
  struct Group {
    std::string name;
    Tasks tasks;
    friend bool operator==(const Group&, const Group&) = default;
  };
  std::vector<Group> groups;
  const Tasks& of(TaskKind kind) const {
    static const Tasks kNothing;
    if (!is_group(kind)) return tasks[index(kind)];
    return group_number(kind) < groups.size() ? groups[group_number(kind)].tasks : kNothing;
  }
  Counters counters;
  // What else a start needs of a job that is over.
  std::string submission;
  DurationMs time_limit_ms = 0;
  bool whole = true;  // false: of an older version, which did not keep these two
  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

}  // namespace weir
