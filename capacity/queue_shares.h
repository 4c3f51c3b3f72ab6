// The figures of every queue in one dimension (slots of one kind, or memory), inner queues too:
// GC, MAX, RUN, PEND, DEM and the
// allocated capacity AC, kept as the pure function of the rest that it is. Leaves report their
// facts; sums go up the tree; a family whose allocation may have changed is filled again, from the
// top down. Most changes change no allocation, and a cheap test knows it: whoever wants more than
// he has goes on wanting more, or nobody in the family wants anything of the others. Invariant
// after settle(): the leaves' AC sum to the cluster's slots, exactly. On the engine's thread.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "capacity/capacity_settings.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/queue_tree.h"

namespace weir {

// What a leaf holds and wants. Inner queues have the sums.
struct LeafFacts {
  std::int64_t running = 0;       // RUN
  std::int64_t pending = 0;       // PEND
  std::int64_t dying = 0;         // of tasks ordered to die: wanted again, not yet launchable
  std::int64_t waiting_jobs = 0;  // with launchable tasks
  std::int64_t wide_jobs = 0;     // of these, with tasks of more than one slot
  std::int64_t wanted() const { return running + pending + dying; }  // DEM before the maximum
};

struct QueueLine {
  LeafFacts facts;
  std::int64_t guaranteed = 0;  // GC
  std::int64_t maximum = 0;     // MAX
  std::int64_t allocated = 0;   // AC
  std::int64_t demand = 0;      // DEM; of containers at least what it keeps
  std::int64_t weight = 0;      // g as a ratio among siblings
  bool under_one_slot = false;  // g < 1: no claim to any slot, takes turns
  bool lends = true;            // false: DEM < GC has not held for lend_after yet

  std::int64_t kept() const { return demand < guaranteed ? demand : guaranteed; }
  std::int64_t withheld = 0;  // what its siblings cannot have of its guarantee
  std::int64_t keep = 0;      // of containers: of GC, what it does not lend though it is idle
  bool wants_more() const { return demand > guaranteed; }
};

class QueueShares {
 public:
  QueueShares(const QueueTree& tree, Dimension dimension, CapacitySettings::RedistributeBy by);

  // The cluster has `total` slots now: guarantees and maximums anew. Facts stay.
  void resize(std::int64_t total);
  void set_leaf(QueueId leaf, const LeafFacts& facts);
  void set_lends(QueueId queue, bool lends);
  // Brings AC up to date. Before it, AC may be that of the facts before.
  void settle();
  // Nothing has changed since, and nobody has to be told.
  bool settled() const { return to_fill_.empty() && changed_.empty(); }

  const QueueLine& line(QueueId queue) const { return lines_[queue.index()]; }
  // The queues whose line may have changed since this was last asked, without repeats.
  void take_changed(std::vector<QueueId>& out);

 private:
  struct Family {
    std::int64_t withheld = 0;      // sum of what members withhold: min(GC, DEM), or GC
    std::int64_t wanting_more = 0;  // members with DEM > GC
    std::int64_t demand = 0;        // sum of DEM
  };
  bool changes_allocation(const QueueLine& before, const QueueLine& now, QueueId parent) const;
  void recount(QueueId queue);
  std::int64_t withheld_by(QueueId queue) const;
  void fill(QueueId parent);
  void mark_changed(QueueId queue);

  const QueueTree& tree_;
  Dimension dimension_;
  CapacitySettings::RedistributeBy by_;
  std::vector<QueueShare> shares_;
  std::vector<QueueLine> lines_;
  std::vector<Family> families_;  // by parent
  std::set<QueueId> to_fill_;     // parents; a parent's id is below its children's
  std::vector<QueueId> changed_;
  std::vector<bool> is_changed_;
};

}  // namespace weir
