// The seam between the engine and what kind of job a job is. The engine knows groups of tasks; the
// type says what the groups are to each other: which may start, and what an end means. What it says
// follows from the job alone, so there is one object of each type for all jobs. It is asked when a
// task has ended or a job changes, not for every task that could start: TaskGroup::open is its word
// on that.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/reason.h"

namespace weir {

struct Job;

class JobType {
 public:
  virtual ~JobType() = default;
  virtual std::string_view name() const = 0;

  // --- What may start ---

  // It has nothing to say of slots: where they are scheduled none of its tasks starts.
  virtual bool needs_containers() const { return false; }

  // Tasks of the group may start whenever the job may; others wait until may_open().
  virtual bool open_at_once(TaskKind group) const = 0;
  // Asked while the job runs and the group is not open, whenever a task has succeeded; what is open
  // stays so.
  virtual bool may_open(const Job& job, TaskKind group) const = 0;
  // For a group that is not open.
  virtual Reason why_closed(const Job& job, TaskKind group) const = 0;

  // --- What an end means ---

  // Nothing of the job is left to run.
  virtual bool done(const Job& job) const = 0;
  // It has an output folder, which is completed or removed when it is over: the last duty.
  virtual bool leaves_output() const { return true; }
  // How often a task of the group may fail before the job has failed.
  virtual std::uint32_t failures_at_most(const JobSpec& spec, TaskKind group) const = 0;
  // Tasks of the group give their output away for good, so an attempt asks before it does (commit).
  virtual bool publishes(const JobSpec& spec, TaskKind group) const = 0;
  // The output of a task of the group stays on the tracker that ran it. If it is lost with that
  // one, the task runs again, as long as outputs_needed() for as many tasks of each group as are
  // done.
  virtual bool keeps_output(const JobSpec& spec, TaskKind group) const = 0;
  using TasksDone = std::vector<std::uint32_t>;  // by index of the kind
  virtual bool outputs_needed(const JobSpec& spec, const TasksDone& done) const = 0;

  // Running tasks wait for others of the job that do not run: without a place it would hold what it
  // has for ever.
  virtual bool waits_for_its_own(const Job& job) const = 0;
};

}  // namespace weir
