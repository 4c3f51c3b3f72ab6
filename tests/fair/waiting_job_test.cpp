// What changes while a job waits over a limit and its tasks run: it is known when the job is back.
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

// It stands in its FIFO pool's line by the new priority, not by the one it had.
TEST(FairWaitingJob, IsGivenAnotherPriority) {
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

// A place to run was gone when it came to wait, and is there again.
TEST(FairWaitingJob, IsGivenBackItsTrackers) {
  FairHarness h;
  h.section->pools = {pool("p")};
  h.section->pools[0].max_running_jobs = 1;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit(3, 0, "p");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.step(OrderTrackers{{"user", {}}, {"tt1"}, TrackerOrder::kDrain});
  EXPECT_EQ(h.pool_text("p"), "0 1 1") << "nothing else can start anywhere";
  const std::uint32_t urgent = h.submit(1, 0, "p", Priority::kHigh);
  ASSERT_EQ(h.state_of(1), JobState::kWaiting);
  h.step(OrderTrackers{{"user", {}}, {"tt1"}, TrackerOrder::kNone});
  h.step(KillJob{{"user", {}}, JobId(urgent)});
  ASSERT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.pool_figures("p").of[index(TaskKind::kMap)].demand, 3);
}

// It waits for nothing, and nobody waits for it.
TEST(FairWaitingJob, IsWiderThanItMayEverRun) {
  FairHarness h;
  h.section->pools = {pool("p", {.max_maps = 1}), pool("r")};
  h.add_queue(queue("q", 75)).add_queue(queue("small", 25));
  h.settings().queues[1].maximum_hundredths = 25'00;
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.Harness::submit({.queue = "q", .maps = 1, .slots_per_map = 2, .pool = "p"});
  h.Harness::submit({.queue = "small", .maps = 1, .slots_per_map = 2, .pool = "r"});
  h.Harness::submit({.queue = "small", .maps = 2, .pool = "r"});
  h.advance(0);
  EXPECT_EQ(h.heartbeat("tt1"), "J3/m0");
  EXPECT_EQ(h.why(1), "wider_than_maximum");
  EXPECT_EQ(h.why(2), "wider_than_maximum");
  EXPECT_EQ(h.why(3), "queue_at_maximum pool_below_share");
}

}  // namespace
}  // namespace weir::test
