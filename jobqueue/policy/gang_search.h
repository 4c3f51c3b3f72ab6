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
#include "jobqueue/policy/policy.h"

namespace weir {

// Room for all members that have none, this tracker first, then the others by registration; nothing
// if there is not enough now, or none of it here. Empty: all have room already. On trackers that
// are reserved for others there is none, but for a claimant (kills made room for it here).
std::optional<std::vector<GangRoom>> gang_starts(const ClusterState& state, const Job& job,
                                                 const TrackerState& here, bool claimant = false);
// Room here for members that have none, as many as there is some for, in order.
std::vector<GangRoom> gang_rooms_on(const ClusterState& state, const Job& job,
                                    const TrackerState& here, bool claimant = false);

class GangSearch {
 public:
  // `within(job)`: the job's gang is within the shares of all on its way.
  using Within = std::function<bool(const Job&)>;
  GangSearch(const ClusterState& state, const TrackerState& here, const ReserveHere* reserve,
             Within within)
      : state_(state), here_(here), reserve_(reserve), within_(std::move(within)) {}

  // It may collect room: it does, or nobody does that comes before it.
  bool may_assemble(const Job& job) const;
  // `may_reserve`: all on its way are short of their shares.
  std::optional<Choice> choice(const Job& job, bool may_reserve) const;

 private:
  const ClusterState& state_;
  const TrackerState& here_;
  const ReserveHere* reserve_;
  Within within_;
};

// Of room that kills made for a member of a gang that has not started: the gang holds it from now
// on, or (`may` is false, or it wants it no more) it is anybody's.
Choice take_for_gang(const ClusterState& state, const Hold& hold, bool may);

// Why the gang that collects room should do so no longer; empty: it should go on, as it does while
// it is within its share. One that has been beyond it all the time has a time of its own.
std::string_view assembly_over(const ClusterState& state, bool within);

}  // namespace weir
