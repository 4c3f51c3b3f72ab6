// An application: groups of tasks that each run a command, all at once as far as there is room. A
// batch is done when all of its tasks have ended well; a service has no end of its own. Nothing is
// published, and nothing that a task leaves is needed by another.
#pragma once

#include "jobqueue/model/job_type.h"

namespace weir {

class Application final : public JobType {
 public:
  std::string_view name() const override { return "application"; }
  bool needs_containers() const override { return true; }
  bool open_at_once(TaskKind) const override { return true; }
  bool may_open(const Job&, TaskKind) const override { return true; }
  Reason why_closed(const Job& job, TaskKind group) const override;
  bool done(const Job& job) const override;
  bool leaves_output() const override { return false; }
  std::uint32_t failures_at_most(const JobSpec& spec, TaskKind group) const override {
    return spec.service ? UINT32_MAX : spec.task_groups[group_number(group)].retries + 1;
  }
  bool publishes(const JobSpec&, TaskKind) const override { return false; }
  bool keeps_output(const JobSpec&, TaskKind) const override { return false; }
  bool outputs_needed(const JobSpec&, const TasksDone&) const override { return false; }
  bool waits_for_its_own(const Job&) const override { return false; }
};

}  // namespace weir
