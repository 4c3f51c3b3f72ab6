// Running-job limits of groups that reach across queues: the pools and users of a policy with pools
// (Policy::running_groups), together with the limits of the queues. Who may run is one walk over
// the unfinished jobs in order of priority, submit time, name and id: a job runs if there is room
// in all its groups, and takes a place in each. Places are not for ever: a more urgent job takes
// that of a less urgent one, whose running tasks go on; a job with running reduces and maps left
// keeps its own. The walk is made only when a job comes, ends or changes, and only while the policy
// has such limits. Pure functions.
#pragma once

#include <vector>

#include "jobqueue/cluster_state.h"
#include "jobqueue/policy.h"

namespace weir {

struct AdmissionPlan {
  std::vector<JobId> demote;  // RUNNING, to wait
  std::vector<JobId> admit;   // WAITING, to run
};
AdmissionPlan plan_admission(const ClusterState& state, const Policy& policy);

// The groups that are full and keep a waiting job from running.
std::vector<Reason> full_groups(const ClusterState& state, const Policy& policy, const Job& job);

// Whether the job keeps its place whoever comes: its reduces would hold their slots and wait for
// maps that may not run, or it is being completed.
bool keeps_place(const Job& job);

// By priority, submit time, name, id.
bool runs_before(const Job& a, const Job& b);

}  // namespace weir
