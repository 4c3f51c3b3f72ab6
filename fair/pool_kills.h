// Whom to kill for pools that have been short of their shares for too long (fair.md, "Preemption").
// Needy pools are served in the order of the tree, children first, siblings by name. Each is due
// what it lacks of its minimum share, then what more it lacks of its fair share, in whole slots,
// less kills under way and free slots that it could use; what was got for a child counts for those
// above it. Victims come from pools that run more than their share: the latest launched first,
// those whose job keeps its own share before the others, and none that frees more than is needed
// while a narrower one serves. Nobody dies where the needy pool has no task that could start on
// that very tracker with what is freed; a wide task gets all its slots on one tracker or none. One
// planner plans one class of one check, off the heartbeat path: it walks the live attempts once,
// and only if there is something to kill, and then the candidates a few times for each needy pool.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fair/pool_tree.h"
#include "fair/standings.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/reserved_slots.h"

namespace weir {

class PoolKills {
 public:
  // What a pool has lacked for too long, in slots: of its minimum share, and of its fair share. The
  // one is part of the other.
  struct Due {
    std::int64_t minimum = 0;
    std::int64_t fair = 0;
    DurationMs minimum_ms = 0, fair_ms = 0;  // for so long
    std::int64_t slots() const { return minimum < fair ? fair : minimum; }
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
  // Slots that pools are due and nobody can be killed for.
  const std::map<PoolId, std::int64_t>& unmet() const { return unmet_; }
  std::uint64_t spared() const { return spared_; }  // times that a budget saved somebody

 private:
  struct Candidate {
    AttemptSlot slot;
    PoolId pool;
    std::int64_t slots = 1;
    bool taken = false;
  };
  // What might die together on one tracker.
  struct Pile {
    std::vector<std::size_t> victims;  // in candidates_
    Resources freed;
  };
  // Whom a pool is served with.
  struct Search {
    PoolId needy;
    KillReason reason = KillReason::kMinShare;
    DurationMs owed_ms = 0;
    std::int64_t need = 0;         // slots
    std::int64_t widest = 0;       // of a victim; 0: the need
    bool wide_tasks = false;       // tasks that are wider than the need may start, too
    bool below_job_share = false;  // so may die what its job needs for its own share
    bool held_back = false;        // somebody is spared for his job's sake
    std::map<TrackerId, Pile> piles;
    std::int64_t widest_victim() const { return widest > 0 ? widest : need; }
    std::int64_t widest_task() const { return wide_tasks ? INT64_MAX : need; }
  };

  void serve(PoolId needy, const Due& due, std::vector<KillOrder>& kills);
  void kill_for(const Search& need, std::vector<KillOrder>& kills);
  void search(Search& search, std::vector<KillOrder>& kills);
  void pass(Search& search, std::vector<KillOrder>& kills);
  std::optional<JobId> gather(Search& search, std::size_t candidate, Pile& chosen);
  bool wants_wider(PoolId needy, std::int64_t than) const;
  std::int64_t take_free(PoolId needy, std::int64_t wanted, std::int64_t widest);
  void collect();
  // Whether the candidate may die besides those in the pile.
  bool may_die(const Candidate& candidate, Search& search, const Pile& pile) const;
  bool pools_permit(const Candidate& candidate, const Search& search, const Pile& pile) const;
  bool better_off(std::int64_t left, Share share, PoolId needy) const;
  bool keeps_job_share(const Candidate& candidate, const Pile& pile) const;
  bool within_budget(const Candidate& candidate, const Pile& pile) const;
  void add(Pile& pile, std::size_t candidate) const;
  void prune(const Search& search, Pile& pile, TrackerId tracker, JobId& job) const;
  KillOrder commit(const Search& search, const Pile& pile, TrackerId tracker, JobId job);
  void promise(PoolId needy, JobId job, TrackerId tracker);
  void promise_rest(PoolId needy, std::int64_t slots, TrackerId tracker);
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
  std::set<std::int64_t> widths_;             // of candidates
  std::map<PoolId, std::int64_t> got_;        // slots on their way to it, or to a pool in it
  std::map<PoolId, std::int64_t> killed_;     // slots planned to die, in it or a pool in it
  std::map<PoolId, std::int64_t> gained_;     // slots planned to be launched on, likewise
  std::map<QueueId, std::int64_t> in_queue_;  // gained less killed, of queues and those above
  std::map<JobId, std::int64_t> job_killed_;
  std::map<PoolId, std::int64_t> lost_;  // slot-milliseconds planned to be lost
  // Tasks that something is freed for already, and where: reduces that have copied stay there.
  std::map<JobId, std::uint32_t> planned_;
  std::map<std::pair<JobId, TrackerId>, std::uint32_t> planned_there_;
  std::map<PoolId, std::int64_t> unmet_;
  mutable std::uint64_t spared_ = 0;
  std::map<TrackerId, Resources> promised_;  // planned to be taken there, less what kills free
  ReservedSlots reserved_;
};

}  // namespace weir
