// Why a container does not start, whatever the policy: it is too large for what is free on any one
// tracker, the trackers with room are not for it, or are kept for others; or a queue is at its
// maximum. Looks at all trackers, for somebody who asks. Pure functions over the state, on the
// engine's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_items.h"
#include "jobqueue/policy/kept_room.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

// Empty: it could start on some tracker, as far as room goes.
std::vector<Reason> reasons_of_room(const ClusterState& state, const Job& job, TaskKind kind,
                                    TimeMs now);

// Why what is free is not for it: others, whom `whom` names, keep so much of it, or a task with a
// tracker reserved waits for what they leave. Nothing: it could have it.
std::optional<Reason> reason_of_kept(const ClusterState& state, const Job& job,
                                     const Resources& need, const KeptRoom& room,
                                     const std::string& whom);

// Why the queue's maximum forbids the job one more such task; what others have reserved counts.
// Nothing: it does not.
std::optional<Reason> reason_of_maximum(const ClusterState& state, const QueueBounds& bounds,
                                        QueueId queue, JobId job, const Resources& need);

// Why it can never start: a queue, or one above it, may not run one such task.
std::optional<Reason> reason_of_width(const ClusterState& state, const QueueBounds& bounds,
                                      QueueId leaf, const Resources& need);
// Likewise, if `whose` maximum is less than that.
std::optional<Reason> reason_of_width(const Space& space, const Resources& need,
                                      const std::string& whose, const Amounts& maximum);

// The jobs whose tasks come before it; `where`: " in queue a". Nothing: there are none.
std::optional<Reason> reason_of_jobs_before(const ContainerItems& items, const ItemOrder& own,
                                            const std::string& where);

// "3072 MB", "no vcores".
std::string amount_text(const Space& space, Dimension d, std::int64_t amount);

}  // namespace weir
