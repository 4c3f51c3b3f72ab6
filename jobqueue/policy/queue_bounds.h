// What queues are guaranteed, may have at most, and keep of their guarantee for themselves while
// they do not use it (GC, MAX, KEEP of containers.md, sections 4 and 7), in every dimension. Pure,
// made anew when the cluster or the settings change. Any thread.
#pragma once

#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/container_bounds.h"
#include "jobqueue/policy/kept_room.h"

namespace weir {

class QueueBounds {
 public:
  QueueBounds(const QueueTree& tree, const Space& space, const Resources& total);
  void resize(const Resources& total);

  const Amounts& guaranteed(QueueId queue) const { return of_[queue.index()].guaranteed; }
  const Amounts& maximum(QueueId queue) const { return of_[queue.index()].maximum; }
  const Amounts& keep(QueueId queue) const { return of_[queue.index()].keep; }
  // Whether the queue itself declares one.
  bool has_maximum(QueueId queue) const { return of_[queue.index()].has_maximum; }
  // The queue, or one above it, whose maximum lets a task of that need never run; invalid: none.
  QueueId too_small(QueueId leaf, const Resources& need) const {
    for (QueueId q = leaf; q != QueueTree::root(); q = tree_.parent(q)) {
      if (has_maximum(q) && !within(space_, Amounts{}, need, maximum(q))) return q;
    }
    return {};
  }
  bool any_keeps() const { return any_keeps_; }

 private:
  struct Of {
    Amounts guaranteed, maximum, keep;
    bool has_maximum = false;
  };
  const QueueTree& tree_;
  const Space& space_;
  std::vector<std::vector<QueueShare>> shares_;  // by place of the dimension
  std::vector<Of> of_;                           // by QueueId
  bool any_keeps_ = false;
};

// --- Guarantees that are not lent (containers.md, section 7) ---

// Nothing: all lend all that is theirs.
std::optional<KeptRoom> room_kept_by_queues(const ClusterState& state, const QueueBounds& bounds,
                                            KeptRoom::Stands stands,
                                            KeptRoom::ComesBefore comes_before);

// MAX of every queue in one dimension; at least what it is guaranteed.
std::vector<std::int64_t> maximum_amounts(const QueueTree& tree, Dimension dimension,
                                          std::int64_t total,
                                          const std::vector<std::int64_t>& guaranteed);
// What of `guaranteed` the queue does not lend, the part that it lends being rounded down.
std::int64_t kept_amount(const QueueSettings& queue, Dimension dimension, std::int64_t guaranteed);

}  // namespace weir
