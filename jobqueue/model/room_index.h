// On how many trackers a container of a size would find room now, of those that take tasks and on
// which nothing is kept for anybody. Sizes are counted from the first question on, by one walk over
// the trackers; from then on each change of a tracker counts it in them. At most 64 sizes are kept,
// the one that was asked for longest ago goes. Derived state, on the engine's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/model/resources.h"
#include "jobqueue/model/tracker_state.h"

namespace weir {

class RoomIndex {
 public:
  static constexpr std::size_t kSizesKept = 64;

  static bool has_room(const TrackerState& tracker, const Resources& need);

  std::int64_t trackers_with(const Resources& need, const std::vector<TrackerState>& trackers);
  bool empty() const { return sizes_.empty(); }
  // It leaves the counts (-1) before it changes, and comes back (1) after it.
  void count(const TrackerState& tracker, int sign);

 private:
  struct Counted {
    Resources need;
    std::int64_t trackers = 0;
    std::uint64_t asked = 0;
  };
  std::vector<Counted> sizes_;
  std::uint64_t questions_ = 0;
};

inline bool RoomIndex::has_room(const TrackerState& tracker, const Resources& need) {
  if (!tracker.in_pool() || tracker.keeps > 0) return false;
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0 && tracker.used.amount[i] + need.amount[i] > tracker.total.amount[i])
      return false;
  }
  return true;
}

}  // namespace weir
