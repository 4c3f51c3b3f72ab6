// Free slots that wait on trackers for tasks with a reservation, as planners of kills see them:
// kept from everybody but the job that reserved them, for which they are as free as others. Of one
// class, for one pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/cluster_state.h"

namespace weir {

class ReservedSlots {
 public:
  ReservedSlots(const ClusterState& state, TaskKind kind) {
    for (const Reservation& kept : state.claims().reservations()) {
      if (kept.kind != kind) continue;
      const std::int64_t free = state.free_slots(state.tracker(kept.tracker), kind);
      waiting_[kept.tracker] = {kept.job, std::min(kept.slots, free)};
    }
  }
  // Of the tracker's free slots, what the job may not count on.
  std::int64_t kept_from(JobId job, TrackerId tracker) const {
    const auto found = waiting_.find(tracker);
    return found == waiting_.end() || found->second.first == job ? 0 : found->second.second;
  }
  // A task of the job is planned there: if it is the one that they wait for, they are taken.
  void plan(JobId job, TrackerId tracker) {
    const auto found = waiting_.find(tracker);
    if (found != waiting_.end() && found->second.first == job) waiting_.erase(found);
  }

 private:
  std::map<TrackerId, std::pair<JobId, std::int64_t>> waiting_;
};

}  // namespace weir
