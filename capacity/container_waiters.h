// Who waits for a tracker where containers count, and what those who come after it leave to it:
// else small ones that start where there is no room for a large one would keep its queues at what
// they are allocated, and they are never short for it when a tracker reports that would do
// (containers.md 6.1, 6.4). Questions over the state and what the standing says, which is settled;
// on the engine's thread.
#pragma once

#include <boost/container/small_vector.hpp>

#include "capacity/container_standing.h"
#include "jobqueue/policy/container_items.h"

namespace weir {

class ContainerWaiters {
 public:
  // Both outlive it.
  ContainerWaiters(const ClusterState& state, const ContainerStanding& standing)
      : state_(state), standing_(standing) {}

  // Tasks of a leaf that have trackers reserved, or will have the next one, or wait for an amount,
  // and what they leave of its allocation to those behind them. Good as long as nothing changes.
  class InLeaf {
   public:
    InLeaf(const ContainerWaiters& all, QueueId leaf);
    bool is_in_the_way(const ItemOrder& item, const Resources& need) const;

   private:
    void add(const ContainerWaiters& all, const Job& job, TaskKind kind, bool has_turn = false);
    struct One {
      ItemOrder item;
      Amounts left, beyond;  // what runs beyond the allocation may end without that being short
    };
    const Space& space_;
    boost::container::small_vector<One, 4> all_;
  };

  // In one of a queue's leaves, with a tracker reserved or the next turn.
  struct Waiter {
    QueueId leaf;
    ItemOrder item;
    const Resources* need = nullptr;
  };
  using Waiters = boost::container::small_vector<Waiter, 4>;
  // Those for whom the queue is short, in no order.
  Waiters below(QueueId queue) const;
  // Whether such a task of the job would end the queue's being short for who waits, and comes after
  // it.
  bool ends_wait(QueueId queue, const Waiter& waiter, const Job& job, TaskKind kind) const;
  // Likewise at any queue above the job's, of a larger task: it waits for longer, and a smaller one
  // that waits leaves room for it soon.
  bool ends_a_wait(const Job& job, TaskKind kind) const;

  // Which of two siblings comes first, with such a task each.
  bool comes_before(QueueId a, const Resources& of_a, QueueId b, const Resources& of_b) const;
  QueueId child_towards(QueueId queue, QueueId leaf) const;

 private:
  const ClusterState& state_;
  const ContainerStanding& standing_;
};

}  // namespace weir
