// What pools and queues say of one more task where containers count (containers.md 4.3, 5.5, 6.1,
// 7.2): whether it is within their maximums, whether they are short of their shares for it, and
// whether it leaves what others keep of their minimum shares. Questions over what PoolAmounts
// follows, which is settled; on the engine's thread.
#pragma once

#include <map>

#include "fair/pool_amounts.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

class PoolStanding {
 public:
  using JobLine = PoolAmounts::JobLine;
  using Jobs = JobTable<JobLine>;
  // All of them outlive it.
  PoolStanding(const ClusterState& state, const PoolTree& tree, PoolAmounts& amounts,
               const QueueBounds& bounds, const Jobs& jobs)
      : state_(state),
        tree_(tree),
        amounts_(amounts),
        bounds_(bounds),
        jobs_(jobs) {}

  JobLine* find(JobId job) const { return jobs_.find(job); }  // null: in no pool
  bool in_order(PoolId leaf) const {
    return PoolAmounts::sharing(tree_.node(leaf)) == PoolSettings::Sharing::kFifo;
  }

  // --- Shares ---
  // The job among those of its leaf, with such a task; of jobs in order the step is the priority.
  PoolRank rank(const JobLine& line, const Resources& need) const {
    return in_order(line.pool) ? PoolRank{.step = static_cast<int>(line.priority)}
                               : amounts_.rank(line, line.running, need);
  }
  // Of the job, and of all pools on the way.
  bool short_on_the_way(const JobLine& line, const Resources& need) const;
  bool short_on_the_way(PoolId pool, const Resources& need) const;  // it, and all above
  // Whether the pool, or one above, would not be short for the task with `other` besides.
  bool ends_being_short(PoolId pool, const Resources& other, const Resources& need) const;
  // Whether `other`, with each that ends and starts again in the leaf, keeps it, or one above, from
  // being short for the task: they are without it, and with it they are not.
  bool keeps_from_being_short(PoolId leaf, const Resources& other, const Resources& need) const;
  bool gang_within(const Job& job) const;

  // --- Maximums; within them with what reservations and gangs of other jobs keep ---
  bool has_maximum(PoolId pool) const;
  bool has_maximum(const Job& job) const;  // a queue on its way
  bool short_of_maximum(PoolId pool, const Resources& need) const;
  // The pool on its way whose maximum lets a task of that need never run; invalid: none.
  PoolId too_small(const JobLine& line, const Resources& need) const;
  // Whether the maximums on its way, of pools and queues, let a task of that need ever run.
  bool could_run(const JobLine& line, const Resources& need) const {
    return !too_small(line, need).valid() &&
           !bounds_.too_small(state_.job(line.job).queue, need).valid();
  }
  bool short_of_maximums(const JobLine& line, const Resources& need) const;  // and of queues'
  bool within_pool(PoolId pool, const Job& job, const Resources& need) const;
  bool within_pools(const JobLine& line, const Resources& need) const;  // all on the way
  // With `more` in each queue.
  bool within_queues(const Job& job, const Resources& need,
                     const std::map<QueueId, Amounts>* more = nullptr) const;

  // --- Minimum shares that are not lent ---
  bool any_lends_less() const { return amounts_.any_lends_less(); }
  // What pools keep of the cluster's room, if any do.
  std::optional<KeptRoom> kept_room(KeptRoom::Stands stands) const;

 private:
  const ClusterState& state_;
  const PoolTree& tree_;
  PoolAmounts& amounts_;
  const QueueBounds& bounds_;
  const Jobs& jobs_;
};

}  // namespace weir
