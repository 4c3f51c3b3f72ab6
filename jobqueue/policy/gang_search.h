// What a gang could do with a tracker that is offered (containers.md 8.2, 8.3): start, as there is
// room for all of its members now, one of them here; or, if it is the one that collects room, hold
// what fits here, or have the tracker reserved for its first member without room. Pure questions
// over the state, on the engine's thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/kept_room.h"
#include "jobqueue/policy/policy.h"

namespace weir {

// Room for all members that have none, this tracker first, then the others by registration; nothing
// if there is not enough now, or none of it here. Empty: all have room already. On trackers that
// are reserved for others there is none, but for a claimant (kills made room for it here).
std::optional<std::vector<GangRoom>> gang_starts(const ClusterState& state, const Job& job,
                                                 const TrackerState& here, bool claimant = false);
// Room here for members that have none, as many as there is some for, in order, and may have it.
std::vector<GangRoom> gang_rooms_on(const ClusterState& state, const Job& job,
                                    const TrackerState& here, bool claimant = false,
                                    std::uint32_t at_most = UINT32_MAX);

// Whether what others keep leaves as much as the gang needs if nothing else runs.
bool could_leave(const KeptRoom* kept, const Job& job);

class GangSearch {
 public:
  // `within(job)`: the job's gang is within the shares of all on its way.
  using Within = std::function<bool(const Job&)>;
  // `kept`: null where nobody keeps anything.
  GangSearch(const ClusterState& state, const TrackerState& here, const ReserveHere* reserve,
             const KeptRoom* kept, Within within)
      : state_(state),
        here_(here),
        reserve_(reserve),
        kept_(kept),
        within_(std::move(within)) {}

  // It may collect room: it does, or nobody does that comes before it.
  bool may_assemble(const Job& job) const;
  // `may_reserve`: all on its way are short of their shares.
  std::optional<Choice> choice(const Job& job, bool may_reserve) const;

 private:
  bool is_within(const Job& job) const;
  // What others keep, and what reserved tasks wait for, is left.
  bool spares(const Job& job, const Resources& need, JobId aside = {}) const;

  const ClusterState& state_;
  const TrackerState& here_;
  const ReserveHere* reserve_;
  const KeptRoom* kept_;
  Within within_;
};

// Whether the tracker is reserved for a member of a gang that does not collect room now, as one
// that is within its share waits. `room`: what others keep.
bool gives_way(const ClusterState& state, const Reservation& reserved, const KeptRoom* room,
               GangSearch::Within within);

// As many of them, in order, as there may be beside what others keep.
void leave_what_is_kept(const KeptRoom* kept, const Job& job, std::vector<GangRoom>& rooms);

// Of room that kills made for a member of a gang that has not started: the gang holds it from now
// on, or (`may` is false, or it wants it no more) it is anybody's. Nothing: it waits until others
// keep less.
std::optional<Choice> take_for_gang(const ClusterState& state, const Hold& hold,
                                    const KeptRoom* kept, bool may);

// What waits for room and should do so no longer, from time to time: reservations that are `over`
// (why; empty: it stands), who waits for an amount, and the gang that collects room, which goes on
// while it is `within` its share, and for a time of its own if it has been beyond it all the time.
void end_what_is_over(const ClusterState& state, const KeptRoom* kept,
                      const std::function<std::string_view(const Reservation&)>& over,
                      const std::function<bool(const Job&)>& within, Preemption& plan);

}  // namespace weir
