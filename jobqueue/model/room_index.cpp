#include "jobqueue/model/room_index.h"

#include <algorithm>

namespace weir {

std::int64_t RoomIndex::trackers_with(const Resources& need,
                                      const std::vector<TrackerState>& trackers) {
  ++questions_;
  for (Counted& size : sizes_) {
    if (size.need != need) continue;
    size.asked = questions_;
    return size.trackers;
  }
  if (sizes_.size() >= kSizesKept) {
    sizes_.erase(std::min_element(
        sizes_.begin(), sizes_.end(),
        [](const Counted& a, const Counted& b) { return a.asked < b.asked; }));
  }
  const auto found = std::count_if(trackers.begin(), trackers.end(), [&](const TrackerState& t) {
    return has_room(t, need);
  });
  sizes_.push_back({need, found, questions_});
  return found;
}

void RoomIndex::count(const TrackerState& tracker, int sign) {
  for (Counted& size : sizes_) size.trackers += has_room(tracker, size.need) ? sign : 0;
}

}  // namespace weir
