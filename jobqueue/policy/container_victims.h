// Whom to kill for one task where containers count, as it is under every policy (containers.md 9.1,
// 9.2): candidates in the policy's order go on their trackers' piles, each if it gives something
// of what the tracker lacks of the task; the first pile that makes room is chosen, and what of it
// is not needed is spared. For a gang room is made for all members, or nobody dies. Serves one
// pass, off the heartbeat path: it walks the live attempts once, and only if there is something to
// kill. A pass may serve thousands of tasks: what one of them costs must not grow with what runs.
// On the engine's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/free_rooms.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class ContainerVictims {
 public:
  // One attempt; or the members of a gang on one tracker, with whom all of it dies.
  struct Candidate {
    enum class Kind : std::uint8_t { kSingle, kGang, kService };  // the first die first
    std::vector<AttemptSlot> slots;  // on the tracker
    Resources need;                  // what their end frees there,
    Resources all;                   // and everywhere
    Kind kind = Kind::kSingle;
    bool taken = false;
    AttemptSlot slot() const { return slots.front(); }
  };
  // Places in candidates(), the first that die first: sorted once, and good for all of the pass
  // until it goes back to a plan.
  struct Line {
    std::vector<std::size_t> places;
    std::size_t first = 0;  // all before it are taken
  };
  struct Pile {
    std::vector<std::size_t> victims;  // places in candidates()
    // There, and no more than others leave of all that is free; with what they free.
    Resources room;
  };
  struct Rules {
    // Whether the candidate may be killed for what it gives of this dimension, after the pile.
    std::function<bool(const Candidate&, Dimension, const Pile&)> may_give;
    std::function<bool(const Candidate&, const Pile&)> within_budget;
  };
  struct Found {
    ClaimBlock block = ClaimBlock::kNone;  // else why nobody may die for it
    TrackerId tracker;
    std::vector<std::size_t> victims;
  };

  ContainerVictims(const ClusterState& state, FreeRooms& rooms)
      : state_(state), rooms_(rooms) {}

  void collect();
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const Attempt& attempt(std::size_t candidate) const {
    return state_.attempt(candidates_[candidate].slot());
  }
  // What all who die with it have run in vain.
  DurationMs lost_ms(const Candidate& candidate, TimeMs now) const;
  // Room in what is chosen for others and left over, or dies on its own account; the task takes it.
  bool finds_what_dies(JobId job, TaskKind kind);
  // One line after the other. Where others keep more than is free, as after the loss of a tracker,
  // it may be more than one tracker could give: then as much dies as the task takes, each time.
  Found search(JobId job, TaskKind kind, const std::vector<Line*>& lines,
               const Rules& rules) const;
  // They die, and the room is the task's.
  void take(const Found& found, const Job& job, const Resources& need);
  // Room for the task in what is free or dies anyway, by registration; it takes that.
  std::optional<TrackerId> put(JobId job, TaskKind kind);
  // For all members of a gang that have no room, free room first: `kill_for(group, kills)` plans
  // the kills for one. It collects room from then on; what nobody need die for is its at once.
  // Nothing, and why, if there is not room for all: the caller goes back to what it had planned.
  using KillForMember = std::function<ClaimBlock(TaskKind, std::vector<KillOrder>&)>;
  ClaimBlock plan_gang(const Job& job, const KillForMember& kill_for, bool log_only,
                       Preemption& plan);

 private:
  // Where something dies: on its own account first, then by kills of this pass.
  using Freed = std::set<std::pair<bool, TrackerId>>;
  // What take() and put() have planned, to go back to.
  struct Plan {
    std::size_t taken = 0;
    Freed freed;
    std::vector<Resources> made;
    std::optional<KeptAmounts> kept;
  };
  // Where tasks of one size may find what dies. Room only goes, but for what is taken: who has had
  // none is asked again after that only.
  struct MayFind {
    std::size_t taken = 0;  // it knows of so many
    Freed on;
  };
  struct Search;  // for one task
  Found first_pile(Search& search, const std::vector<Line*>& lines) const;
  void add_gangs();
  Pile* pile_up(std::size_t candidate, Search& search) const;
  void spare(Pile& pile, const Search& search) const;
  // The task could have what they free: not all of it, where they are of who keeps it.
  bool leave_enough(const std::vector<std::size_t>& victims, const Search& search) const;
  void go_back_to(const Plan& plan);
  // The room there: free, dying and chosen, less what is held or planned for others.
  Resources room(TrackerId tracker) const;
  bool gives(const Candidate& candidate, const Resources& need, const Pile& pile,
             const Rules& rules) const;
  bool may_start(JobId job, TaskKind kind, TrackerId tracker) const;
  // Others keep no more of all that is free.
  bool is_left(const Job& job, const Resources& need) const {
    return !kept() || kept()->leaves(kept()->leaf_of(job), need);
  }
  // What dies counts as free in it, what is planned does not; nothing: nobody keeps anything.
  std::optional<KeptAmounts>& kept() const { return rooms_.kept(); }
  // The task will run in the room.
  void plan_on(TrackerId tracker, const Job& job, const Resources& need);
  void take(std::size_t candidate);
  void free_on(TrackerId tracker, Freed& freed) const;

  const ClusterState& state_;
  FreeRooms& rooms_;
  bool collected_ = false;
  std::vector<Candidate> candidates_;
  std::map<JobId, std::vector<std::size_t>> of_gang_;  // candidates that die together
  std::vector<std::size_t> taken_;                     // in that order
  Freed freed_;
  std::vector<Resources> made_;  // by TrackerId: what dies, less what is held or planned
  std::map<std::uint32_t, MayFind> may_find_;  // by number of the size
  TaskKey member_;                 // of the gang that room is made for,
  std::vector<GangRoom> planned_;  // and where those before it will run
};

// Room that kills make is on its way to all members of the gang that have none.
bool is_on_its_way(const ClusterState& state, const Job& job);
// A gang within its guarantee collects room: there are kills for no other before it has started.
bool waits_for_another_gang(const ClusterState& state, const Job& job);

}  // namespace weir
