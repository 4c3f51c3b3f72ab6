// The Job Queue Manager: who may submit what to which queue. It reads the ClusterState and answers;
// the engine acts. max_jobs (waiting + running), max_jobs_per_user and max_tasks_per_job refuse a
// submission; max_running_jobs and max_running_jobs_per_user let jobs wait (running_limits.h).
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/result.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class JobQueueManager {
 public:
  explicit JobQueueManager(const ClusterState& state) : state_(state) {}

  // The leaf of that name or path.
  Result<QueueId> find_leaf(const std::string& name) const;
  // Whether it takes new jobs: neither it nor one above it is stopped.
  Status check_open(QueueId leaf) const;
  // Whether one more job like that of that user is within the leaf's limits.
  Status check_limits(const std::string& user, const JobSpec& spec, QueueId leaf) const;
  // The leaf a job may be moved to.
  Result<QueueId> check_move(const Caller& caller, const Job& job, const std::string& queue) const;

  // What keeps the jobs of removed queues out of the queues that they are to go to under new
  // settings: stopped, or more jobs or tasks than these allow.
  std::vector<std::string> removal_findings(const Settings& settings, const QueueTree& tree) const;

  // Why this job may not run yet (limits of its queue), or nothing.
  std::optional<Reason> running_limit(const Job& job) const;

 private:
  const ClusterState& state_;
};

}  // namespace weir
