// Heads of pools on a tracker (containers.md 3.3, 5.6): the first task of a pool, by its own order,
// that could start there or reserve it, with its step and key among the pool's siblings; so of jobs
// among those of their leaf, where ties go by submit time. A head is found by the orders of each
// family that are kept (head_views.h); `walked` looks at every pool and job, for offers whose
// answers are not kept, and for tests. On the engine's thread.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "fair/pool_standing.h"
#include "fair/pool_waiters.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/head_views.h"
#include "jobqueue/policy/locality_delay.h"

namespace weir {

class PoolHeads {
 public:
  using JobLine = PoolAmounts::JobLine;
  // Of jobs also their tie: submit time, and the name as text.
  struct Key {
    PoolPart part;
    TimeMs submitted = 0;
    std::uint64_t name = 0;
    friend std::weak_ordering operator<=>(const Key& a, const Key& b) {
      if (const auto order = a.part <=> b.part; order != 0) return order;
      if (a.submitted != b.submitted) return a.submitted <=> b.submitted;
      return a.name <=> b.name;
    }
    friend std::uint64_t coarse(const Key& key) { return coarse(key.part); }
  };
  struct Head {
    JobId job;
    TaskKind kind = TaskKind::kMap;
    const Size* size = nullptr;
    bool reserves = false;
    bool lacks_amount = false;  // it begins to wait for what others keep
    bool waits = false;  // for room below a pool's maximum: where that is nothing passes it
    int step = PoolRank::kBeyond;  // of jobs in order: their priority
    Key key;
  };
  // What may be done with the tracker on offer.
  struct Reach {
    const TrackerState& tracker;
    Resources used;                        // there, with what is held for claimants
    const ReserveHere* reserve = nullptr;  // null: nobody may
    std::optional<TimeMs> ends_by = {};    // only what ends by then may start
    bool for_hold = false;                 // room that a kill has made, for one task
    const KeptRoom* kept = nullptr;        // null: nobody keeps anything
    JobId aside = {};  // whose reservation does not matter: it waits for that tracker itself
  };

  // How far from their input maps may run.
  struct Waits {
    const LocalityDelay& delay;
    std::function<bool(PoolId)> urgent;  // starved pools do not wait
  };

  // All of them outlive it.
  PoolHeads(const ClusterState& state, const PoolTree& tree, PoolAmounts& amounts,
            const PoolStanding& standing, Waits waits);

  // --- What has changed ---
  void pools_changed() { pools_changed_ = true; }  // there are others
  void read(JobLine& line);  // what the job runs or wants, or whether it stands
  void reserved(JobId job);
  void turn_changed(JobId job);  // the next one to reserve is for a task of it, or no more

  // --- Questions; the amounts are settled ---
  std::optional<Head> best(const Reach& reach);
  // Whether, where that was asked last, anybody might have the next turn to reserve.
  bool any_might_have_turn(const ReserveHere& reserve) const;
  std::optional<Head> walked(PoolId pool, const Reach& reach) const;
  // How far from its input a task of the job may run there.
  Locality allowed(const JobLine& line, TaskKind kind, const Reach& reach) const;
  // Jobs that were asked, and had no map so near their input; since this was last cleared.
  std::vector<JobId>& passed() const { return passed_; }
  // Who comes before the head, in its leaf or in others below the same pool, is too large for the
  // tracker, and for whom these pools would not be short once that has started: it has the next
  // turn to reserve.
  std::optional<Choice> turn_of_passed(const Head& head, const Reach& reach, bool by_walking);
  // What the job's gang would do with the tracker, whatever its pools' maximums are.
  std::optional<Choice> choice_of_gang(const Job& job, const Reach& reach) const;
  const PoolWaiters& waiters() const { return waiters_; }

 private:
  using Views = HeadViews<Head>;
  using Contest = HeadContest<Head>;
  // A pool with those who stand in it.
  struct Family {
    std::vector<PoolId> pools;           // by name,
    std::vector<JobLine*> jobs;          // or of a leaf its jobs; null: nobody has the place
    std::vector<std::uint64_t> sizes_of_jobs;  // that they could start; of nobody none
    std::vector<std::uint32_t> free;     // places of these
    std::vector<std::optional<Views::Rank>> best_of_jobs;  // best_rank(), where that is known
    std::optional<PoolRank> best;                          // likewise, of the pool
    std::uint32_t place = 0;             // of the pool among its siblings
    WantedSizes sizes;                   // of what it could start
    bool bounded = false, bounded_within = false;  // a maximum on its way; or below it, too
    std::uint64_t deals = 0;  // of its jobs' shares, that their orders know of
    bool may_rank_otherwise = false;  // of the root's children: it is among stale_
    std::uint64_t moving_at = 0;  // at which offer it was known who would move a reservation there,
    std::vector<std::uint32_t> moving;  // and which of its children did
  };

  // --- pool_heads_sizes.cpp: what has changed, and what the tracker is for which sizes ---
  void follow();
  void read_pools();
  void mark(PoolId pool);
  void read_sizes(PoolId leaf);
  void read_assembler();
  const SizeMasks& masks_of(const Reach& reach);
  SizeMasks narrowed(const SizeMasks& masks, PoolId pool) const;

  // --- pool_heads_movers.cpp: whose reservations would move to the tracker on offer ---
  void rank_reservers();
  void note_offer(const Reach& reach);
  bool has_movers(PoolId leaf, const Reach& reach);
  bool moves(PoolId pool, std::uint32_t child, const Reach& reach);
  void ask_movers(PoolId pool, const SizeMasks& masks, const Reach& reach, Contest& contest);
  void mark_job(const JobLine* line);

  // --- pool_heads.cpp: which of the pools, which of a leaf's jobs ---
  std::optional<Head> best_in(PoolId pool, const SizeMasks& masks, const Reach& reach);
  std::optional<Head> ask(PoolId family, std::uint32_t child, const SizeMasks& masks,
                          const Reach& reach);
  Views::View& view_of(PoolId family, const SizeMasks& masks);
  std::optional<Views::Rank> at_best(PoolId family, std::uint32_t child,
                                     const SizeMasks& masks);
  Views::Answer answer(PoolId family, std::uint32_t child, const SizeMasks& masks);
  Views::Answer answer_of_pool(PoolId pool, const SizeMasks& masks);
  // Its step and key, if its maximum lets it start; else nothing of the pool may start now.
  bool place(PoolId pool, Head& head) const;
  void place(const JobLine& line, Head& head) const;
  Views::Rank best_rank(PoolId family, std::uint32_t child);
  Views::Rank best_rank(const JobLine& line) const;

  // --- pool_heads_of_jobs.cpp: which of a job's tasks ---
  bool is_particular(const Job& job, TaskKind kind) const;
  Views::Answer answer_of_job(const JobLine& line, const SizeMasks& masks) const;
  std::optional<Head> head_of_job(const JobLine& line, const Reach& reach) const;
  std::optional<Head> head_of_gang(const JobLine& line, const Reach& reach) const;
  bool could_give(PoolId leaf, const Reach& reach) const;

  // They give way to who waits in the leaf, or below the pool.
  bool is_held_back(PoolId leaf, const Head& head, const PoolReservers::Jobs& reserving) const {
    return tree_.node(leaf).leaf() &&
           waiters_.is_held_back(leaf, *standing_.find(head.job), head.size->need, head.reserves,
                                 reserving);
  }
  using Waiters = PoolWaiters::Waiters;
  bool gives_way(PoolId pool, const Waiters& waiters, const Head& head) const {
    return !head.size->gang && std::any_of(waiters.begin(), waiters.end(), [&](const auto& waiter) {
      return waiters_.ends_wait(pool, waiter, *standing_.find(head.job), head.size->need,
                                head.reserves);
    });
  }

  // --- pool_heads_turns.cpp: the first of those who are passed ---
  std::optional<Head> head_of_waiting(PoolId leaf, const PoolReservers::Jobs& reserving,
                                      const Reach& reach) const;
  std::uint64_t passed_sizes(PoolId leaf, const Head& head, const Reach& reach) const;
  std::optional<Head> passed_of(const JobLine& line, std::uint64_t sizes) const;
  std::optional<Head> first_passed(PoolId leaf, std::uint64_t sizes, bool by_walking);
  std::optional<Choice> turn_for(const Head& passed, const Reach& reach) const;
  using IsPassed = std::function<bool(const Size&)>;
  std::optional<Head> walked_passed(PoolId pool, const IsPassed& is_passed, PoolId beside = {});
  std::optional<Head> passed(PoolId pool, const SizeMasks& masks, PoolId beside = {});
  std::optional<Choice> turn_beside(const Head& head, const Reach& reach, bool by_walking);

  const ClusterState& state_;
  const PoolTree& tree_;
  PoolAmounts& amounts_;
  const PoolStanding& standing_;
  PoolReservers reservers_;
  const PoolWaiters waiters_;
  Waits waits_;
  mutable std::vector<JobId> passed_;
  Views views_;                        // by PoolId
  std::vector<Family> families_;       // likewise
  std::vector<const Size*> size_of_;   // by number
  std::vector<PoolId> changed_;
  bool pools_changed_ = true;
  SizesHere here_;  // on the tracker on offer
  // Of the leaves below the root with reservations: where they come at best. Not so yet of these.
  WinnerTree<Views::Rank> reservers_order_;
  std::vector<PoolId> stale_;
  bool may_move_ = false;
  JobId assembler_;
  std::uint64_t offers_ = 0;
};

}  // namespace weir
