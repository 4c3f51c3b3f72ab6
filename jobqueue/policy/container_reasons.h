// Why a container finds no room, whatever the policy: it is too large for what is free on any one
// tracker, the trackers with room are not for it, or are kept for others. Looks at all trackers,
// for somebody who asks. Pure function over the state, on the engine's thread.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/kept_room.h"
#include "jobqueue/policy/policy.h"

namespace weir {

// Empty: it could start on some tracker, as far as room goes.
std::vector<Reason> reasons_of_room(const ClusterState& state, const Job& job, TaskKind kind,
                                    TimeMs now);

// Why what is free is not for it: others, whom `whom` names, keep so much of it, or a task with a
// tracker reserved waits for what they leave. Nothing: it could have it.
std::optional<Reason> reason_of_kept(const ClusterState& state, const Job& job,
                                     const Resources& need, const KeptRoom& room,
                                     const std::string& whom);

}  // namespace weir
