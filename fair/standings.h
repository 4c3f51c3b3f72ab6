// How pools and jobs stand in one class of slots: what they run, want and may have, in which order
// they are asked, and their fair shares. Kept current by deltas: a change of a job marks its pool,
// and settle() puts the marked pools and those above them where they belong, O(log n) each. Shares
// are dealt again only where a demand, a weight or a total has changed, and those of jobs only when
// somebody asks. Invariant: settled, all of it is a function of the facts that were set, whatever
// way they came about. Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fair/pool_jobs.h"
#include "fair/pool_tree.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/prefetch.h"
#include "jobqueue/model/share.h"

namespace weir {

// A job in this class. Everything in slots.
struct JobFacts {
  bool runnable = false;  // under every limit on running jobs
  std::int64_t running = 0;
  std::int64_t pending = 0;  // of tasks that could be launched now
  std::int64_t dying = 0;    // of tasks that die and are wanted again
  std::int64_t weight = 1;   // billionths
  friend bool operator==(const JobFacts&, const JobFacts&) = default;
  std::int64_t demand() const { return runnable ? running + pending + dying : 0; }
};

// A job in a pool, runnable or with tasks that still run. Stays where it is in memory.
struct alignas(kCacheLine) JobStand {
  JobId job;
  PoolId pool;
  Priority priority = Priority::kNormal;
  std::uint64_t tie = 0;
  std::int64_t width = 1;  // slots of one task
  QueueId limited;         // its queue, if that or one above it has a maximum
  JobFacts facts;
  // Standings' own:
  PoolJobs::Seat seat;
  std::size_t member = 0;  // place among its pool's members
  FineShare share = 0;
};

// In the order of siblings: those below their minimum share first, by running / min(minimum,
// demand), then by running / weight; ties by name.
struct PoolKey {
  std::int64_t running = 0;
  std::int64_t divisor = 1;
  std::uint64_t prefix = 0;           // the first letters of the name, which mostly settle a tie
  const std::string* name = nullptr;  // of the pool; outlives the key
  PoolId pool;
  bool above = false;  // its minimum share
  friend bool operator==(const PoolKey&, const PoolKey&) = default;
  friend bool operator<(const PoolKey& a, const PoolKey& b);
};

class Standings {
 public:
  struct Line {
    std::int64_t running = 0;   // of all jobs, also those over a limit
    std::int64_t runnable = 0;  // of those that are not
    std::int64_t pending = 0;
    std::int64_t wanted = 0;  // leaf: its jobs' demand; inner pool: its children's
    std::int64_t demand = 0;  // not above the maximum
    std::int64_t minimum = 0;
    std::int64_t maximum = INT64_MAX;
    std::int64_t weight = 1;  // millionths
    Share share = 0;          // as of deal_shares()
    std::int64_t floor() const { return minimum < demand ? minimum : demand; }
    bool needy() const { return running < floor(); }
    // Whole slots of its minimum share, which is scaled where minimums total more than there is.
    std::int64_t owed_minimum() const { return std::min(floor(), whole_slots(share)); }
  };

  // `job_shares_in_fifo`: whether jobs of FIFO pools have shares too. `copy_factor`: above 0 these
  // are the places in which reduces copy: nobody has a minimum, and maximums are so many times
  // those of the slots.
  Standings(const PoolTree& tree, TaskKind kind, bool job_shares_in_fifo,
            std::int64_t copy_factor = 0);

  void add_pool(PoolId pool);
  // It holds nothing, and all is settled.
  void remove_pool(PoolId pool, PoolId parent);

  // `stand` comes in with its pool, priority, tie, width and limit set and no facts.
  void join(JobStand& stand);
  void leave(JobStand& stand);
  void set(JobStand& stand, const JobFacts& facts);
  // Ties have other numbers now: call it for each job, after clear_orders().
  void clear_orders();
  void place(const JobStand& stand) { place(stand, stand.facts); }
  // Whether it wants anything or not.
  JobKey key_of(const JobStand& stand) const { return key_of(stand, stand.facts); }

  void prefetch(PoolId pool) const { prefetch_lines(&pools_[pool.index()], kTouched); }

  // --- Settled, from here on ---
  void settle();
  bool settled() const { return marked_.empty(); }
  const Line& line(PoolId pool) const { return pools_[pool.index()].line; }
  const PoolJobs& jobs(PoolId leaf) const { return pools_[leaf.index()].jobs; }
  const std::vector<JobStand*>& members(PoolId leaf) const { return pools_[leaf.index()].members; }
  // Visits the children of an inner pool that could launch something, in order.
  template <class Take>
  bool visit(PoolId inner, Take take) const {
    return pools_[inner.index()].order.visit([&](const PoolKey& key) { return take(key.pool); });
  }
  PoolKey order_key(PoolId pool) const;  // among its siblings, whether it wants anything or not
  // Slots that all pools together want, what jobs over a limit run included.
  std::int64_t cluster_demand() const;

  // Deals the cluster's slots anew, as far as anything has changed; returns whether it has.
  bool deal_shares(std::int64_t total_slots);
  // A job's part of its pool's share, once these are dealt; 0 in a FIFO pool.
  Share job_share(const JobStand& stand) { return coarse(fine_job_share(stand)); }
  FineShare fine_job_share(const JobStand& stand);
  // Its part of its pool's minimum share, dealt by weight up to its demand.
  void deal_guarantee(PoolId leaf, std::vector<Share>& of_members) const;

 private:
  // What every change touches comes first and lies together.
  struct alignas(kCacheLine) Pool {
    Line line;
    PoolId parent;  // these are the tree's
    bool fifo = false;
    bool marked = false;
    bool stale = true;                    // inner: its children's shares have to be dealt again
    bool jobs_stale = true;               // leaf: its jobs'
    std::uint64_t prefix = 0;             // of the name
    const std::string* name = nullptr;    // the tree's
    RankedSet<PoolKey>::Place place = 0;  // in its parent's order

    PoolJobs jobs;  // leaf, with the next
    std::vector<JobStand*> members;
    RankedSet<PoolKey> order;  // inner: of its children
    std::vector<PoolId> children;
    FineShare share = 0;  // the line's, finer
  };
  static constexpr std::size_t kTouched = 2 * kCacheLine;

  void place(const JobStand& stand, const JobFacts& facts);
  JobKey key_of(const JobStand& stand, const JobFacts& facts) const;
  void mark(PoolId leaf);
  void settle_pool(PoolId pool);
  std::optional<PoolKey> key_of(PoolId pool) const;
  void deal(PoolId parent, bool& changed);

  const PoolTree& tree_;
  TaskKind kind_;
  bool job_shares_in_fifo_;
  std::int64_t copy_factor_;
  std::vector<Pool> pools_;  // by PoolId
  std::vector<PoolId> marked_;
  bool any_stale_ = true;
  std::int64_t dealt_total_ = -1;
};

}  // namespace weir
