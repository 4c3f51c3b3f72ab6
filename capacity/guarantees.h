// What each queue of a tree is guaranteed, by the settings and the size of the cluster alone: the
// exact share g as a ratio among siblings, whether g is worth a whole slot, GC (rounded family by
// family, so that siblings' GC add up to their parent's exactly) and MAX. Pure functions of the
// queue tree, any thread; vectors are indexed by QueueId.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/ids.h"
#include "jobqueue/queue_tree.h"

namespace weir {

struct QueueShare {
  std::int64_t weight = 1;  // g among its siblings
  std::int64_t one_slot_from =
      1;  // smallest cluster total with g >= 1 slot; INT64_MAX if there is none
};
std::vector<QueueShare> exact_shares(const QueueTree& tree, TaskKind kind);

// GC of every queue when the cluster has `total` slots of the kind; of the root it is `total`.
std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree, TaskKind kind,
                                           std::int64_t total);

// MAX of every queue.
std::vector<std::int64_t> maximum_slots(const QueueTree& tree, std::int64_t total,
                                        const std::vector<std::int64_t>& guaranteed);

}  // namespace weir
