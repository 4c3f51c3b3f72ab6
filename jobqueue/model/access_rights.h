// Who may do what: the lists of a queue count for all below it, and administrators of the cluster
// may do everything. Entries are users, `@group` and `*`. Where no list says who, everybody may.
#pragma once

#include "jobqueue/model/caller.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/result.h"

namespace weir {

// Besides the owners of jobs: by the queue's list, those above it, and the cluster's
// administrators. Absent: everybody.
AccessList who_may_administer(const ClusterState& state, QueueId queue);
AccessList who_may_submit(const ClusterState& state, QueueId queue);

// May this caller submit to the queue; whether it takes jobs is another matter.
Status check_submit_right(const ClusterState& state, const Caller& caller, QueueId queue);
// May this caller administer the queue.
Status check_administrator(const ClusterState& state, const Caller& caller, QueueId queue);
// May this caller kill, move or re-prioritise the job: its owner, or who administers its queue.
Status check_owner(const ClusterState& state, const Caller& caller, const Job& job);
// May this caller change settings and policy: listed administrators.
Status check_cluster_administrator(const ClusterState& state, const Caller& caller);

}  // namespace weir
