// How queues stand where containers count: what each is guaranteed, allocated, runs and keeps, in
// every dimension by itself, what of its jobs could start, and what all that says of one more task.
// Derived state that follows what the policy is told, settled before it is asked; on the engine's
// thread.
#pragma once

#include <vector>

#include "capacity/capacity_settings.h"
#include "capacity/queue_shares.h"
#include "jobqueue/policy/container_index.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

class ContainerStanding {
 public:
  ContainerStanding(const ClusterState& state, CapacitySettings::RedistributeBy by);

  // --- What has changed; the index is told of jobs by itself ---
  ContainerIndex& index() { return index_; }
  void resized();
  void settle();
  // The queues of which anything may be otherwise since this was last asked, without repeats.
  void take_changed(std::vector<QueueId>& out);
  // Another number than before: likewise, of one queue.
  std::uint64_t version(QueueId queue) const { return versions_[queue.index()]; }

  // --- Figures ---
  const QueueTree& tree() const { return state_.tree(); }
  const QueueLine& line(QueueId queue, Dimension d) const { return shares_[d.place()].line(queue); }
  const Amounts& guaranteed(QueueId queue) const { return bounds_.guaranteed(queue); }
  const Amounts& allocated(QueueId queue) const { return allocated_[queue.index()]; }
  const QueueBounds& bounds() const { return bounds_; }
  const ContainerItems& items(QueueId leaf) const { return index_.leaf(leaf.index()).items; }

  // --- What they say of a task ---
  // How the queue stands among its siblings with it (containers.md 4.3).
  enum Step { kClaim = 1, kWithinGuarantee, kWithinAllocation, kBeyond };
  int step_of(QueueId queue, const Resources& need) const;
  Fraction key_of(QueueId queue, int step) const;
  bool within_maximum(QueueId queue, JobId job, const Resources& need) const;
  // The queue, or it and every queue above, runs less than is allocated to it.
  bool is_short_here(QueueId queue, const Resources& need) const;
  bool short_on_the_way(QueueId leaf, const Resources& need) const;
  bool short_of_maximum(QueueId queue, const Resources& need) const;
  // Whether the maximums on its way let a task of that need ever run.
  bool could_run(QueueId leaf, const Resources& need) const {
    return !bounds_.too_small(leaf, need).valid();
  }
  // Whether the queue, or one above, would not be short for the task with `other` besides.
  bool ends_being_short(QueueId queue, const Resources& other, const Resources& need) const;
  // Whether `other`, with each that ends and starts again in the leaf, keeps it, or one above, from
  // being short for the task: they are without it, and with it they are not.
  bool keeps_from_being_short(QueueId leaf, const Resources& other, const Resources& need) const;
  // The job's gang could start somewhere, within what is allocated to all queues on its way.
  bool gang_within(const Job& job) const;
  // What of the cluster's room is kept, if any is.
  std::optional<KeptRoom> kept_room(KeptRoom::Stands stands) const;

 private:
  void mark(QueueId queue);

  const ClusterState& state_;
  QueueBounds bounds_;
  ContainerIndex index_;
  std::vector<QueueShares> shares_;  // by place of the dimension
  std::vector<Amounts> allocated_;   // AC, by QueueId
  bool resized_ = true;
  std::vector<std::size_t> leaves_;
  std::vector<QueueId> queues_, changed_;
  std::vector<bool> is_changed_;
  std::vector<std::uint64_t> versions_;  // by QueueId
};

}  // namespace weir
