// What each queue of a tree is guaranteed, by the settings and the size of the cluster alone: the
// exact share g of the cluster, whether g is worth a whole slot, GC (g rounded, so that siblings'
// GC add up to their parent's exactly) and MAX. Pure functions of the queue tree, any thread;
// vectors are indexed by QueueId.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/queue_tree.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/share.h"

namespace weir {

inline constexpr std::int64_t kWholeInHundredths = 10000;  // 100%

// Shares out `total` in proportion to the weights: each gets its exact part rounded down, and the
// rest goes, one each, to the largest remainders, ties in order. The sum is `total`. Weights are
// not negative; if all are 0 they count as equal.
std::vector<std::int64_t> largest_remainder(std::int64_t total,
                                            const std::vector<std::int64_t>& weights);

// The ratios in which siblings share what their parent is guaranteed: percentages as they are,
// those without one share the rest equally; slot counts are ratios; all zero counts as equal.
std::vector<std::int64_t> sibling_weights(const std::vector<Guarantee>& siblings);

// MAX: `maximum` (hundredths of a percent) of the parent's, rounded down, but at least what is
// guaranteed and at least 1.
std::int64_t maximum_slots(std::optional<std::int64_t> maximum_hundredths,
                           std::int64_t parent_maximum, std::int64_t guaranteed);

struct ExactFraction;

struct QueueShare {
  // g as a part of the cluster, which all but deep trees, that multiply many percentages, say in 62
  // bits; else the denominator is 0 and `exact` says it.
  std::int64_t numerator = 1, denominator = 1;
  std::shared_ptr<const ExactFraction> exact;
  std::int64_t weight = 1;  // g among its siblings
  std::int64_t one_slot_from =
      1;  // smallest cluster total with g >= 1 slot; INT64_MAX if there is none
};
std::vector<QueueShare> exact_shares(const QueueTree& tree, Dimension dimension);

// GC of every queue when the cluster has `total` slots; of the root it is `total`. Each queue has
// its exact g rounded down, and what its parent's GC has beyond that goes, one slot each, to the
// largest remainders, ties in order. Never a part of the parent's GC: roundings do not add up.
std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree,
                                           const std::vector<QueueShare>& shares,
                                           std::int64_t total);
std::vector<std::int64_t> guaranteed_slots(const QueueTree& tree, Dimension dimension,
                                           std::int64_t total);

// MAX of every queue.
std::vector<std::int64_t> maximum_slots(const QueueTree& tree, std::int64_t total,
                                        const std::vector<std::int64_t>& guaranteed);

}  // namespace weir
