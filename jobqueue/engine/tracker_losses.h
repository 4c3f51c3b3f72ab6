// Tasks that take their trackers down.
#pragma once

#include <cstdint>
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
};

}  // namespace weir
