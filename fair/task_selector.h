// Which task of a job a tracker gets, chosen by name (`task_selector`). It owns the choice within
// the job; which job is asked was decided before. `default` takes the state's own order: retries,
// then node-local, rack-local and other maps as far out as the job may go now, lowest index first.
// Another is a class and a line in make_task_selector(). Engine's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fair/fair_settings.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class TaskSelector {
 public:
  virtual ~TaskSelector() = default;
  // The task to launch there, no further from its input than `allowed`; nothing if none may.
  virtual std::optional<Choice> pick(const ClusterState& state, JobId job, TaskKind kind,
                                     TrackerId tracker, Locality allowed) const = 0;
};

// Null if there is none of that name.
std::unique_ptr<TaskSelector> make_task_selector(const FairSettings& settings);
std::vector<std::string> task_selector_names();

}  // namespace weir
