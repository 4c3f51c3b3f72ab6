// First in, first out in the real engine.
#include "fifo/fifo_policy.h"

#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

TEST(Fifo, JobsAreServedInTheOrderOfTheirSubmissionAcrossQueues) {
  FifoHarness h;
  h.add_queue(queue("a", 10)).add_queue(queue("b", 90));
  h.add_tracker("tt1", {.map_slots = 3});
  h.submit({.queue = "a", .maps = 2});
  h.submit({.queue = "b", .maps = 5});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J2/m0");
}

TEST(Fifo, PriorityComesFirstWhateverTheQueueSays) {
  FifoHarness h;
  QueueSettings plain = queue("a", 10);
  plain.priorities = false;
  h.add_queue(plain);
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.queue = "a", .maps = 2});
  const auto urgent = h.submit({.queue = "a", .maps = 1});
  h.step(SetPriority{{"user", {}}, JobId(urgent), Priority::kVeryHigh});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
}

TEST(Fifo, AJobThatDoesNotFitHereIsPassed) {
  FifoHarness h;
  h.add_tracker("small", {.map_slots = 2});
  h.add_tracker("large", {.map_slots = 4});
  h.submit({.maps = 1, .slots_per_map = 3});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("small"), "J2/m0");
  EXPECT_EQ(h.heartbeat("large"), "J1/m0");
}

TEST(Fifo, FiguresAreSumsOverTheTree) {
  FifoHarness h;
  QueueSettings top = queue("top");
  top.queues = {queue("a"), queue("b")};
  h.add_queue(top);
  h.add_tracker("tt1", {.map_slots = 3});
  h.submit({.queue = "top.a", .maps = 2, .slots_per_map = 2});
  const auto moved = h.submit({.queue = "top.b", .maps = 5});
  h.heartbeat("tt1");
  EXPECT_EQ(h.figures("top").running, 2);  // the third slot waits for the second wide map
  EXPECT_EQ(h.figures("top").allocated, 2);
  EXPECT_EQ(h.figures("top").pending, 2 + 5);
  EXPECT_EQ(h.figures("top.a").pending, 2);
  h.step(MoveJob{{"user", {}}, JobId(moved), "top.a"});
  EXPECT_EQ(h.figures("top.a").pending, 7);
  EXPECT_EQ(h.figures("top.b").pending, 0);
  h.step(KillJob{{"user", {}}, JobId(moved)});
  EXPECT_EQ(h.engine().policy().figures(QueueTree::root(), TaskKind::kMap).pending, 2);
}

TEST(Fifo, ExplainsWithNumbers) {
  FifoHarness h;
  const auto first = h.submit({.maps = 2});
  const auto second = h.submit({.maps = 2});
  h.add_tracker("tt1", {.map_slots = 1});
  h.heartbeat("tt1");
  const Policy& policy = h.engine().policy();
  EXPECT_TRUE(policy.explain(JobId(first), TaskKind::kMap, 0).empty());
  ASSERT_EQ(policy.explain(JobId(second), TaskKind::kMap, 0).size(), 1u);
  EXPECT_EQ(policy.explain(JobId(second), TaskKind::kMap, 0)[0].message, "1 job is before it");
}

}  // namespace
}  // namespace weir::test
