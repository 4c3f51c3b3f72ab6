// A job as a scenario or a trace gives it: the specification that the engine gets, who submits it,
// and how long its tasks take, which only the virtual cluster knows. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobqueue/model/input.h"
#include "jobqueue/model/job_spec.h"

namespace weir {

// One value a task, used cyclically. A reduce copies (not ending before the job's last map), then
// reduces.
struct TaskTimes {
  std::vector<DurationMs> map_ms{30'000};
  std::vector<DurationMs> reduce_ms{60'000};
  std::vector<DurationMs> copy_ms{10'000};
  std::vector<std::vector<DurationMs>> groups_ms;  // of an application, by group
  static DurationMs of(const std::vector<DurationMs>& times, std::uint32_t task) {
    return times[task % times.size()];
  }
};

struct JobPlan {
  std::shared_ptr<const JobSpec> spec;  // its name is the job's id in the scenario
  Caller caller;
  TaskTimes times;
  std::string input;         // the file whose blocks are placed by lot; empty: one of its own
  DurationMs submit_at = 0;  // of a trace: scenario time
};

}  // namespace weir
