// How many slots are free, in all and by how many a tracker has: so whoever asks on how many
// trackers a wide task would fit need not look at the trackers.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/model/ids.h"

namespace weir {

class FreeSlots {
 public:
  // A tracker with so many free ones comes (1) or goes (-1).
  void count(TaskKind kind, std::int64_t free, int sign);
  std::int64_t total(TaskKind kind) const { return total_[index(kind)]; }
  // On how many trackers at least `slots` (>= 1) are free.
  std::int64_t trackers_with(TaskKind kind, std::int64_t slots) const;
  // What tasks so wide could use.
  std::int64_t total_for(TaskKind kind, std::int64_t width) const;

 private:
  std::int64_t total_[kTaskKindCount] = {0, 0};
  std::vector<std::int64_t> trackers_[kTaskKindCount];  // by the number of slots free
};

}  // namespace weir
