// The life of jobs: from waiting to running and back, to their ends, until they are forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class JobLife : public Part {
 public:
  using Part::Part;

  void admit(Job& job);  // from WAITING to RUNNING
  void admit_again(Job& job);  // one that ran before a restart: the store says so, and that is old
  void admit_waiting(QueueId queue);
  void regroup();
  void note_pools();  // jobs may be in other pools now, or in none
  void admit_everywhere();
  void admit_if_stuck(Job& job);
  void note_yield(const Job& job);
  void settle_yields();
  void after_progress(Job& job);  // slow-start reached, all done?
  void begin_end(Job& job, JobState outcome, const std::string& diagnostics, KillReason reason);
  std::shared_ptr<const JobRecord> record_of(const Job& job) const;
  void end_job(Job& job, JobState state, const std::string& diagnostics, bool cleanup);
  void forget_old_jobs();
  void settle_ends(std::uint64_t seq);  // ends up to there are durable
  void note_over(const Job& job);
  void shed_ended();
  void shed(Job& job);
  void set_deadline(Job& job);
  void set_task_deadline(const Attempt& attempt);  // its group has a time limit
  void end_task_deadline(const Attempt& attempt);
  // As the store has them.
  void restore_deadline(const Job& job);
  void restore_finished(const Job& job);
  void sort_finished();
  void stop_late_jobs();
  void stop_late_tasks();
  // A service's task has ended after it ran for so long: it starts again after a pause.
  void rest(Job& job, const TaskKey& task, DurationMs ran);
  void restore_rest(Job& job, const JobSnapshot::Rest& rest);
  void wake_rested();
  void forget_rests(const Job& job);
  std::optional<Reason> why_it_rests(const Job& job) const;

 private:
  void carry_out(const AdmissionPlan& plan);
  void make_schedulable(Job& job);
  void demote(Job& job);  // from RUNNING to WAITING

  std::vector<JobId> regrouped_;  // reused
  std::vector<JobId> yielding_;  // in this step: no longer keep their places
  std::deque<std::pair<TimeMs, JobId>> finished_;  // to be forgotten in time, or when too many
  std::set<std::pair<TimeMs, JobId>> deadlines_;  // of running jobs with a time limit
  std::set<std::pair<TimeMs, AttemptKey>> late_tasks_;  // that have one and live, by deadline
  std::set<std::pair<TimeMs, TaskKey>> resting_;        // tasks of services, by when they wake
  std::map<TaskKey, DurationMs> pauses_;                // before they start again, the last of each
  std::deque<std::pair<std::uint64_t, JobId>> ending_;  // ended, but not durably yet
  std::vector<JobId> over_;  // in this step: durably, or the last attempt of one that is
};

}  // namespace weir
