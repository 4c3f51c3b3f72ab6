#include "jobqueue/model/room_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weir {
namespace {

Resources memory_and_cores(std::int64_t memory_mb, std::int64_t vcores) {
  return Resources{{0, 0, memory_mb, vcores}};
}

std::int64_t counted(const std::vector<TrackerState>& trackers, const Resources& need) {
  return std::count_if(trackers.begin(), trackers.end(), [&](const TrackerState& tracker) {
    return RoomIndex::has_room(tracker, need);
  });
}

TEST(RoomIndex, ATrackerHasRoomInEveryDimensionThatIsTaken) {
  TrackerState tracker;
  tracker.total = memory_and_cores(4096, 2);
  tracker.used = memory_and_cores(1024, 2);
  EXPECT_TRUE(RoomIndex::has_room(tracker, memory_and_cores(3072, 0)));
  EXPECT_FALSE(RoomIndex::has_room(tracker, memory_and_cores(3073, 0)));
  EXPECT_FALSE(RoomIndex::has_room(tracker, memory_and_cores(1, 1)));
  tracker.keeps = 1;
  EXPECT_FALSE(RoomIndex::has_room(tracker, memory_and_cores(1, 0)));
  tracker.keeps = 0;
  tracker.accepts_tasks = false;
  EXPECT_FALSE(RoomIndex::has_room(tracker, memory_and_cores(1, 0)));
}

// More sizes are asked for than are kept, so that some are forgotten and counted anew.
TEST(RoomIndex, CountsAsOneByOneWhateverChanges) {
  std::mt19937 dice(3);
  std::vector<TrackerState> trackers(20);
  for (TrackerState& tracker : trackers)
    tracker.total = memory_and_cores(1024 * (1 + dice() % 8), 1 + dice() % 8);
  RoomIndex index;
  for (int step = 0; step < 20'000; ++step) {
    TrackerState& tracker = trackers[dice() % trackers.size()];
    index.count(tracker, -1);
    switch (dice() % 4) {
      case 0:
        tracker.keeps = dice() % 4 == 0 ? 1 : 0;
        break;
      case 1:
        tracker.accepts_tasks = dice() % 4 != 0;
        break;
      default:
        tracker.used = memory_and_cores(512 * (dice() % 16), dice() % 9);
    }
    index.count(tracker, 1);
    const Resources need = memory_and_cores(128 * (1 + dice() % 100), dice() % 3);
    ASSERT_EQ(index.trackers_with(need, trackers), counted(trackers, need)) << step;
  }
}

}  // namespace
}  // namespace weir
