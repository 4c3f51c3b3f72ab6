// A job as readers see it: what the JobTracker publishes, the wire carries, and tables, JSON and
// pages are made of. Plain values, which nobody changes once they are published. Moments are
// milliseconds since the epoch, by the wall clock of the JobTracker. What may be absent, is
// std::optional.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/counters.h"
#include "jobqueue/model/ids.h"

namespace weir {

struct JobView {
  struct Tasks {
    std::int32_t total = 0;
    std::int32_t pending = 0;
    std::int32_t running = 0;
    std::int32_t succeeded = 0;
    std::int32_t failed_attempts = 0;
    std::int32_t killed_attempts = 0;
    std::int32_t progress_millionths = 0;
    std::optional<std::int32_t> copying;      // reduces that copy, without a slot: not in `running`
    std::optional<std::int32_t> copied;       // that have copied and wait for a slot: neither
    std::optional<std::int32_t> speculative;  // attempts launched beside another of their task
    std::optional<std::int32_t> speculative_won;  // those of them that were done first
    friend bool operator==(const Tasks&, const Tasks&) = default;
  };

  JobId id;
  std::string name;
  std::string user;
  std::string queue;  // dotted path
  std::string priority;
  std::string state;  // HELD WAITING PENDING RUNNING SUCCEEDED FAILED KILLED
  Tasks maps;
  Tasks reduces;
  // Of an application, which has neither of these.
  struct Group {
    std::string name;
    Tasks tasks;
    friend bool operator==(const Group&, const Group&) = default;
  };
  std::vector<Group> groups;
  std::int64_t submitted_at_ms = 0;
  std::optional<std::int64_t> started_at_ms;  // first task launched
  std::optional<std::int64_t> finished_at_ms;
  std::string output;
  std::optional<std::string> diagnostics;  // why it failed or was killed
  std::optional<Counters> counters;        // not in lists
  std::optional<std::string> status;       // newest status line of a task
  bool from_history = false;               // over for so long that only its record is left
  std::optional<std::int64_t> now_ms;      // when it was asked for; of one job alone
  std::optional<std::string> reason;       // in lists, of one that waits: the first of its reasons
  std::optional<std::string> pool;         // under a policy with pools, while it is not over
  std::optional<std::int64_t> time_limit_ms;
  std::optional<std::int64_t> deadline_ms;  // of that: from its first task to the end of the job

  // Of all of its tasks, whatever kind they are of; each weighs the same.
  Tasks all_tasks() const;
  bool over() const {
    return state == "SUCCEEDED" || state == "FAILED" || state == "KILLED";
  }
  friend bool operator==(const JobView&, const JobView&) = default;
};

// A job that was taken on. `version`: of the published views that show it.
struct SubmittedView {
  JobId job;
  std::string queue;  // dotted path
  std::int64_t version = 0;
  std::vector<std::string> warnings;  // what of it will not have the effect that was meant
  friend bool operator==(const SubmittedView&, const SubmittedView&) = default;
};

// A job, and why it (or a class of its tasks) waits: a stable code, the sentence, and the numbers
// in it.
struct ExplanationView {
  struct Reason {
    std::string code;
    std::string message;
    std::map<std::string, std::int64_t> numbers;
    friend bool operator==(const Reason&, const Reason&) = default;
  };

  JobView job;
  std::vector<Reason> reasons;
  friend bool operator==(const ExplanationView&, const ExplanationView&) = default;
};

}  // namespace weir
