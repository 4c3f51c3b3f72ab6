// A job that waits over a limit while its tasks run is given another priority: when it is back it
// stands in its FIFO pool's line by that one, not by the one it had.
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

TEST(FairPriority, ChangedWhileTheJobWaitsWithRunningTasks) {
  FairHarness h;
  h.section->pools = {pool("p")};
  h.section->pools[0].mode = PoolSettings::Mode::kFifo;
  h.section->pools[0].max_running_jobs = 2;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit(3, 0, "p", Priority::kLow);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.submit(3, 0, "p");
  h.submit(3, 0, "p");
  EXPECT_EQ(h.state_of(1), JobState::kWaiting);
  h.step(SetPriority{{"user", {}}, JobId(1), Priority::kVeryHigh});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  h.finish("J1/m0");
  std::string launched;
  for (int i = 0; i < 3 && launched.empty(); ++i) launched = h.heartbeat("tt1");
  EXPECT_EQ(launched, "J1/m1");
}

}  // namespace
}  // namespace weir::test
