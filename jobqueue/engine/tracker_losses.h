// Tasks that take their trackers down. A tracker that goes without having been told to may have
// been killed by what ran on it: of its tasks, those that were lost so most often are blamed. A
// task that was lost twice is a suspect: it runs again elsewhere if it can, and where no other
// suspect has just started, so that the next loss shows which of them it was. After kMostLosses its
// job fails. A tracker that comes back with an attempt takes the blame back.
//
// A user whose task has failed that way is known for it for a while: of a tracker that goes with
// such a user's tasks on it, only these are blamed. Otherwise somebody with one hostile job after
// the other, each with a task that was never lost before, would have a bystander blamed in the end.
// In memory: a restart of the JobTracker forgets losses.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

enum class Loss : std::uint8_t { kOrdered, kUnforeseen };  // the second may be a task's doing

class TrackerLosses : public Part {
 public:
  using Part::Part;

  std::vector<TaskKey> blame_for(TrackerState& tracker);
  void fail_those_who_take_trackers_down(const std::vector<TaskKey>& blamed,
                                         const TrackerState& tracker);
  bool may_come_back(const TrackerState& tracker, const AttemptKey& attempt) const;
  void came_back(const TrackerState& tracker, Job& job, const AttemptKey& attempt);

 private:
  std::uint32_t losses(const TaskKey& task) const;
  bool is_known(UserId user) const;

  std::map<UserId, TimeMs> known_;  // since when, last: whose tasks have taken trackers down
};

}  // namespace weir
