// Groups that are spread, put into random clusters evenly, against putting their tasks one by one
// where the label's value has the fewest.
#include "jobqueue/model/gang_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "support/container_harness.h"

namespace weir::test {
namespace {

constexpr std::int64_t kNeedMb = 1024;

// `room`: of each value; those of no tracker are not in it.
bool fit_one_by_one(std::map<std::string, std::int64_t> room, std::int64_t members,
                    std::int64_t max_skew) {
  std::map<std::string, std::int64_t> has;
  for (const auto& [value, tasks] : room) has[value] = 0;
  for (; members > 0; --members) {
    std::string next;
    std::int64_t least = INT64_MAX;
    for (const auto& [value, tasks] : has) {
      least = std::min(least, tasks);
      if (room[value] > 0 && (next.empty() || tasks < has[next])) next = value;
    }
    if (next.empty() || has[next] + 1 - least > max_skew) return false;
    ++has[next], --room[next];
  }
  return true;
}

TEST(GangFit, SpreadGroupsFitAsIfTheyWerePutOneByOne) {
  std::mt19937 random(7);
  int fitting = 0;
  for (int round = 0; round < 300; ++round) {
    ContainerHarness h;
    std::map<std::string, std::int64_t> room;
    const std::size_t trackers = 1 + random() % 6;
    for (std::size_t i = 0; i < trackers; ++i) {
      RegisterTracker tracker;
      tracker.name = tracker.host = "tt" + std::to_string(i);
      tracker.incarnation = 7;
      tracker.labels["zone"] = std::string(1, static_cast<char>('a' + random() % 3));
      const std::int64_t tasks = random() % 5;
      tracker.total = Resources{{0, 0, kNeedMb * tasks + 128, 8}};
      if (tasks > 0) room[tracker.labels["zone"]] += tasks;
      h.step(tracker);
    }
    TaskGroupSpec group;
    group.spread = Spread{.by = "zone", .max_skew = 1 + static_cast<std::uint32_t>(random() % 3)};
    const Resources need{{0, 0, kNeedMb, 0}};
    for (std::int64_t members = 1; members <= 12; ++members) {
      const bool fits = fit_one_by_one(room, members, group.spread->max_skew);
      EXPECT_EQ(fit_together(h.state(), {{&group, need, members}}, false), fits)
          << "round " << round << ", " << members << " members";
      fitting += fits ? 1 : 0;
    }
  }
  EXPECT_GT(fitting, 500);
}

}  // namespace
}  // namespace weir::test
