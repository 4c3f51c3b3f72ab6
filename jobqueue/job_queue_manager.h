// The Job Queue Manager: who may submit what to which queue, and which of a queue's jobs run and
// which wait. It reads the ClusterState and answers; the engine acts. Limits: max_jobs (waiting +
// running), max_jobs_per_user and max_tasks_per_job refuse a submission; max_running_jobs and
// max_running_jobs_per_user let jobs wait, in order of priority (where the queue has priorities),
// submit time and id.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/cluster_state.h"
#include "jobqueue/input.h"
#include "jobqueue/policy.h"
#include "jobqueue/result.h"

namespace weir {

// Who may, besides the owners of jobs: by the queue's list, those above it, and the cluster's
// administrators. Absent: everybody.
AccessList who_may_administer(const ClusterState& state, QueueId queue);
AccessList who_may_submit(const ClusterState& state, QueueId queue);

class JobQueueManager {
 public:
  explicit JobQueueManager(const ClusterState& state) : state_(state) {}

  // The leaf that a submission goes to, or the refusal.
  Result<QueueId> check_submission(const Caller& caller, const JobSpec& spec) const;
  // May this caller submit to the queue, by its lists and those above it; whether it takes jobs is
  // another matter.
  Status check_submit_right(const Caller& caller, QueueId queue) const;
  // May this caller kill, move or re-prioritise the job: its owner, the queue's administrators, the
  // cluster's.
  Status check_owner(const Caller& caller, const Job& job) const;
  // May this caller administer the queue.
  Status check_administrator(const Caller& caller, QueueId queue) const;
  // May this caller change settings and policy: listed administrators; anybody if none are listed.
  Status check_cluster_administrator(const Caller& caller) const;
  // The leaf a job may be moved to.
  Result<QueueId> check_move(const Caller& caller, const Job& job, const std::string& queue) const;

  // What keeps the jobs of removed queues out of the queues that they are to go to under new
  // settings: stopped, or more jobs or tasks than these allow.
  std::vector<std::string> removal_findings(const Settings& settings, const QueueTree& tree) const;

  // Why this job may not run yet (limits of its queue), or nothing.
  std::optional<Reason> running_limit(const Job& job) const;
  // The next waiting job of a leaf that may run now, and the running one, if any, that it takes the
  // place of: places are not for ever, they are the most urgent jobs'. A job that has running
  // reduces and maps left keeps its own, or its reduces would wait for maps that may not run.
  struct Turn {
    JobId admit;
    JobId demote;
  };
  std::optional<Turn> next_turn(QueueId leaf) const;

 private:
  Result<QueueId> find_open_leaf(const Caller& caller, const std::string& name) const;
  // Listed for the queue, one above it, or the cluster. Where no list says who is, nobody is named.
  bool allowed(const AccessList& list, const Caller& caller) const;  // absent: everybody
  Status check_limits(const std::string& user, const JobSpec& spec, QueueId leaf) const;

  std::optional<JobId> place_for(const Job& job) const;

  const ClusterState& state_;
};

// Whether `queue`'s own `priorities` setting lets priorities count.
bool priorities_count(const ClusterState& state, QueueId queue);
JobOrder job_order(const ClusterState& state, const Job& job);

}  // namespace weir
