// Who waits for a tracker where containers count, and what those who come after it leave to it. A
// large task may find no room on the trackers that small ones use: its pools are short of their
// shares only until one of these starts again, and may reserve nothing then (containers.md 6.1,
// 6.4). So while it has the next turn to reserve its leaf gives no more until it has room for it
// within its share, and while it has a tracker reserved nothing that would end the reservation;
// pools above give nothing that would end their being short. Questions over what PoolAmounts
// follows, which is settled; on the engine's thread.
#pragma once

#include <boost/container/small_vector.hpp>

#include "fair/pool_reservers.h"
#include "fair/pool_standing.h"

namespace weir {

class PoolWaiters {
 public:
  using JobLine = PoolAmounts::JobLine;
  // All of them outlive it.
  PoolWaiters(const ClusterState& state, const PoolTree& tree, const PoolAmounts& amounts,
              const PoolStanding& standing, const PoolReservers& reservers)
      : state_(state),
        tree_(tree),
        amounts_(amounts),
        standing_(standing),
        reservers_(reservers) {}

  // --- In a leaf ---
  // The job whose turn it is to reserve, while others of the leaf would take what it waits for.
  const JobLine* has_turn(PoolId leaf) const;
  // Those of its jobs that have trackers reserved, whatever was followed.
  PoolReservers::Jobs reserving_in(PoolId leaf) const;
  // Such a task, if it starts, or reserves a tracker, would end what one before it waits on.
  bool is_held_back(PoolId leaf, const JobLine& line, const Resources& need, bool reserves,
                    const PoolReservers::Jobs& reserving) const;

  // Such a task, if it starts, would end the reservation of a larger one of its leaf.
  bool ends_larger_one(const JobLine& line, const Resources& need) const;

  // --- Below a pool ---
  // In one of the pool's leaves, with a tracker reserved or the next turn.
  struct Waiter {
    const JobLine* line = nullptr;
    const Resources* need = nullptr;
    bool has_turn = false;  // it has nothing reserved
  };
  using Waiters = boost::container::small_vector<Waiter, 4>;
  // Those for whom the pool is short, in no order.
  Waiters below(PoolId pool) const;
  // Whether such a task would end the pool's being short for who waits, and comes after it.
  bool ends_wait(PoolId pool, const Waiter& waiter, const JobLine& line, const Resources& need,
                 bool reserves) const;
  // Likewise in its leaf, and at any pool above, of a task that has a tracker reserved and a larger
  // one: it waits for longer, and a smaller one that waits leaves room for it soon.
  bool ends_a_wait(const JobLine& line, const Resources& need) const;

  // Which of two siblings comes first, with such a task each.
  bool comes_before(PoolId a, const Resources& of_a, PoolId b, const Resources& of_b) const;
  bool comes_before(const JobLine& a, const Resources& of_a, const JobLine& b,
                    const Resources& of_b) const;
  PoolId child_towards(PoolId pool, PoolId leaf) const;

 private:
  bool ends_reservation(const JobLine& line, const Resources& need, const Reservation& kept,
                        bool reserves) const;

  const ClusterState& state_;
  const PoolTree& tree_;
  const PoolAmounts& amounts_;
  const PoolStanding& standing_;
  const PoolReservers& reservers_;
};

}  // namespace weir
