// Whom to kill for claims that are due (capacity.md, "Claims and kill timers"). Claims are served
// by deadline; each gets victims for the slots that it is still owed, less kills under way and less
// free slots that it could use. A victim is taken only where the claimant has a task that could
// start on that tracker with what is freed; a wide task gets all its slots on one tracker or none.
// Victims come from leaves above their allocation that stay at or above it: nearest family first,
// then the largest (RUN - AC) / AC, recomputed after each kill; within a leaf tasks of users above
// their limit, then the latest launched. One planner plans one class of one pass, off the heartbeat
// path: it walks the live attempts once, and only if there is something to kill.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "capacity/capacity_settings.h"
#include "jobqueue/policy/leaf_jobs.h"
#include "capacity/queue_shares.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/reserved_slots.h"
#include "jobqueue/policy/winner_tree.h"

namespace weir {

class KillPlanner {
 public:
  // The policy's figures, settled.
  struct Figures {
    std::function<const QueueLine&(QueueId)> line;
    std::function<const LeafJobs&(QueueId)> jobs;
  };
  KillPlanner(const ClusterState& state, TaskKind kind, TimeMs now,
              CapacitySettings::Preemption preemption, Figures figures);

  void plan(Preemption& plan);

 private:
  struct Candidate {
    AttemptSlot slot;
    UserId user;
    TimeMs launched_at = 0;
    std::int32_t progress_millionths = 0;
    bool often = false;   // preempted so often that it comes last
    bool second = false;  // a speculative attempt beside another: it comes first
    bool taken = false;
  };
  // A leaf above its allocation.
  struct Leaf {
    QueueId queue;
    std::vector<Candidate> candidates;       // latest launched first; often preempted ones last
    bool sorted = false;                     // they are: once somebody looks for victims here
    bool any_second = false;                 // of them; known once they are sorted
    std::size_t first = 0;                   // all before it are taken
    std::map<UserId, std::int64_t> running;  // per user, less what is planned to die
  };
  // Where a leaf stands among those that may lose: nearest family first, then the largest
  // over / allocated.
  struct Rank {
    std::int64_t steps_up = 0;  // from the claimant to the nearest common ancestor
    std::int64_t over = 0;
    std::int64_t allocated = 0;
    std::size_t place = 0;  // in leaves_
    bool operator<(const Rank& other) const;
  };
  // What might die together on one tracker.
  struct Pile {
    std::vector<std::pair<std::size_t, std::size_t>> victims;  // leaf, candidate
    Resources freed;
    std::map<QueueId, std::int64_t> slots;  // of each leaf
  };

  void serve(const Claim& claim, Preemption& plan);
  ClaimBlock kill_for(const Claim& claim, std::int64_t need, Preemption& plan);
  std::int64_t under_way(const Claim& claim);
  std::int64_t expected_free(QueueId claimant) const;
  std::int64_t usable_free(QueueId claimant, std::int64_t wanted);
  void collect();
  bool is_second(const Attempt& attempt) const;
  void sort_candidates(Leaf& leaf) const;
  const WinnerTree<Rank>& victim_order(QueueId claimant);
  std::optional<Rank> rank(QueueId claimant, std::size_t leaf) const;
  std::vector<UserId> users_above_limit(const Leaf& leaf) const;
  std::optional<KillOrder> find_victims(const Claim& claim, std::int64_t need, bool& over_budget);
  struct Search;  // for the victims of one kill
  bool search_leaf(Search& search, std::size_t leaf);
  bool add_to_pile(Pile& pile, std::size_t leaf, std::size_t candidate, QueueId claimant,
                   bool& over_budget) const;
  bool stays_at_allocation(QueueId victim, std::int64_t slots, QueueId claimant,
                           const Pile& pile) const;
  bool within_budget(QueueId victim, const Attempt& attempt, const Pile& pile) const;
  // What every maximum from the claimant up leaves it once the pile is dead.
  std::int64_t room_above(QueueId claimant, const Pile& pile) const;
  void promise(QueueId claimant, JobId job, TrackerId tracker, std::int64_t slots);
  // The claimant's first job with a task that is owed, no wider than that, which could start there.
  std::optional<JobId> could_start(QueueId claimant, std::int64_t widest, TrackerId tracker,
                                   const Resources& freed) const;
  KillOrder commit(const Claim& claim, const Pile& pile, TrackerId tracker, JobId job);
  std::int64_t width_of(JobId job) const;
  std::int64_t cost(const Attempt& attempt) const;  // slot-milliseconds
  std::int64_t slots_of(const Attempt& attempt) const;
  std::int64_t running(QueueId queue) const;
  bool above_limit(const Leaf& leaf, UserId user) const;
  std::int64_t narrowest(QueueId claimant) const;

  const ClusterState& state_;
  TaskKind kind_;
  TimeMs now_;
  CapacitySettings::Preemption preemption_;
  Figures figures_;
  bool collected_ = false;
  std::vector<Leaf> leaves_;
  // By the claimant's parent: siblings see every other leaf in the same order.
  std::map<QueueId, WinnerTree<Rank>> orders_;
  std::map<QueueId, std::int64_t> killed_;     // slots planned to die, of every queue of the tree
  std::map<QueueId, std::int64_t> gained_;     // slots planned to be launched on, likewise
  std::map<QueueId, std::int64_t> lost_;       // slot-milliseconds planned to be lost
  std::map<QueueId, std::int64_t> under_way_;  // of each claimant, not yet counted
  std::map<QueueId, std::int64_t> covered_;    // free slots that are taken for older shortfall
  std::map<JobId, std::uint32_t> planned_;     // tasks that something is freed for already
  std::map<TrackerId, Resources> promised_;    // planned to be taken there, less what kills free
  ReservedSlots reserved_;
  std::map<QueueId, std::pair<std::int64_t, ClaimBlock>>
      hopeless_;  // nothing serves so wide a need
};

}  // namespace weir
