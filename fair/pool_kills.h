// Whom to kill for pools that have been short of their shares for too long (fair.md, "Preemption").
// Needy pools are served in the order of the tree, children first, siblings by name. Each is due
// the larger of what it lacks of its minimum share and of its fair share, in whole slots, less
// kills under way and free slots that it could use; what was got for a child counts for those above
// it. Victims are the latest launched tasks, wherever a pool keeps its share without them, and its
// job its own; never where the needy pool has no task that could start on that very tracker with
// what is freed. A wide task gets all its slots on one tracker or none. One planner plans one class
// of one check, off the heartbeat path: it walks the live attempts once, and only if there is
// something to kill, and then the candidates once for each needy pool.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "fair/pool_tree.h"
#include "fair/standings.h"
#include "jobqueue/cluster_state.h"
#include "jobqueue/policy.h"

namespace weir {

class PoolKills {
 public:
  // What a pool has lacked for too long.
  struct Due {
    std::int64_t slots = 0;
    KillReason reason = KillReason::kMinShare;
  };
  // What the policy knows, settled, with shares dealt.
  struct Figures {
    const PoolTree& tree;
    Standings& standings;
    std::function<PoolId(JobId)> pool_of;   // invalid: none
    std::function<Share(JobId)> job_share;  // 0: protects nothing
    std::function<Due(PoolId)> due;
    std::function<bool(QueueId)> queue_limited;          // it or one above it has a maximum
    std::function<std::int64_t(QueueId)> room_in_queue;  // slots, below its own maximum
  };
  PoolKills(const ClusterState& state, TaskKind kind, TimeMs now, bool log_only, Figures figures);

  void plan(std::vector<KillOrder>& kills);
  std::uint64_t spared() const { return spared_; }  // times that a budget saved somebody

 private:
  struct Candidate {
    AttemptSlot slot;
    PoolId pool;
    bool taken = false;
  };
  // What might die together on one tracker.
  struct Pile {
    std::vector<std::size_t> victims;  // in candidates_
    Resources freed;
  };

  void serve(PoolId needy, const Due& due, std::vector<KillOrder>& kills);
  std::int64_t take_free(PoolId needy, std::int64_t wanted);
  void collect();
  // Whether the candidate may die besides those in the pile.
  bool may_die(const Candidate& candidate, PoolId needy, const Pile& pile) const;
  bool within_budget(const Candidate& candidate, const Pile& pile) const;
  void add(Pile& pile, std::size_t candidate) const;
  KillOrder commit(PoolId needy, KillReason reason, const Pile& pile, TrackerId tracker, JobId job);
  void promise(PoolId needy, JobId job, TrackerId tracker);
  // The needy pool's first job with a task, no wider than that, which could start there.
  std::optional<JobId> could_start(PoolId needy, std::int64_t widest, TrackerId tracker,
                                   const Pile& pile) const;
  // Whether that one could, with another task than those for which something is freed already.
  bool has_task_for(JobId job, TrackerId tracker, const Resources& freed) const;
  bool has_room(JobId job, const Pile& pile) const;
  std::int64_t slots_in(const Pile& pile, PoolId pool) const;
  std::int64_t slots_of(AttemptSlot slot) const;
  std::int64_t width_of(JobId job) const;
  std::int64_t cost(AttemptSlot slot) const;  // slot-milliseconds
  template <class Id>
  static std::int64_t of(const std::map<Id, std::int64_t>& counts, Id id) {
    const auto found = counts.find(id);
    return found == counts.end() ? 0 : found->second;
  }

  const ClusterState& state_;
  TaskKind kind_;
  TimeMs now_;
  bool log_only_;
  Figures figures_;
  bool collected_ = false;
  std::vector<Candidate> candidates_;         // the latest launched first
  std::map<PoolId, std::int64_t> got_;        // slots on their way to it, or to a pool in it
  std::map<PoolId, std::int64_t> killed_;     // slots planned to die, in it or a pool in it
  std::map<PoolId, std::int64_t> gained_;     // slots planned to be launched on, likewise
  std::map<QueueId, std::int64_t> in_queue_;  // gained less killed, of queues and those above
  std::map<JobId, std::int64_t> job_killed_;
  std::map<PoolId, std::int64_t> lost_;  // slot-milliseconds planned to be lost
  // Tasks that something is freed for already, and where: reduces that have copied stay there.
  std::map<JobId, std::uint32_t> planned_;
  std::map<std::pair<JobId, TrackerId>, std::uint32_t> planned_there_;
  mutable std::uint64_t spared_ = 0;
  std::map<TrackerId, Resources> promised_;  // planned to be taken there, less what kills free
};

}  // namespace weir
