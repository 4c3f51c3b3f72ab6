// The maximums of queues under fifo, in the real engine.
#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

QueueSettings limited(const std::string& name, std::int64_t percent) {
  QueueSettings settings = queue(name);
  settings.maximum_hundredths = percent * 100;
  return settings;
}

TEST(FifoMaximum, AQueueAtItsMaximumIsPassed) {
  FifoHarness h;
  h.add_queue(limited("a", 50)).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "a", .maps = 4});
  h.submit({.queue = "b", .maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J2/m0") << "one slot stays empty";
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.finish("J1/m0");
  EXPECT_EQ(h.settle("tt1"), "J1/m2");
}

TEST(FifoMaximum, AParentsMaximumBindsItsChildren) {
  FifoHarness h;
  QueueSettings org = limited("org", 50);
  org.queues = {queue("x"), limited("y", 50)};
  h.add_queue(org).add_queue(queue("other"));
  h.add_tracker("tt1", {.map_slots = 8});
  h.submit({.queue = "org.y", .maps = 8});
  h.submit({.queue = "org.x", .maps = 8});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J2/m0 J2/m1");
}

TEST(FifoMaximum, WideTasksCountWhole) {
  FifoHarness h;
  h.add_queue(limited("a", 50)).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 6});
  h.submit({.queue = "a", .maps = 4, .slots_per_map = 2});
  h.submit({.queue = "a", .maps = 4});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");  // what is left of the maximum waits for another of J1
  h.finish("J1/m0");
  h.heartbeat("tt1");  // it may publish
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m1");
}

TEST(FifoMaximum, MovedTasksCountWhereTheyAre) {
  FifoHarness h;
  h.add_queue(limited("a", 50)).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 4});
  const auto runs = h.submit({.queue = "b", .maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.submit({.queue = "a", .maps = 4});
  h.step(MoveJob{{"user", {}}, JobId(runs), "a"});
  EXPECT_EQ(h.heartbeat("tt1"), "") << "the moved tasks are all that it may run";
  h.step(MoveJob{{"user", {}}, JobId(runs), "b"});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1");
}

TEST(FifoMaximum, WhatRunsAboveALoweredMaximumGoesOn) {
  FifoHarness h;
  h.add_queue(queue("a")).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "a", .maps = 8});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J1/m3");
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[0].maximum_hundredths = 5000;
  settings->queues[0].guaranteed[0] = {Guarantee::Unit::kPercent, 1000};
  settings->queues[1].guaranteed[0] = {Guarantee::Unit::kPercent, 9000};
  h.step(ApplySettings{{"user", {}}, settings});
  ASSERT_TRUE(h.error.message.empty()) << h.error.message;
  EXPECT_EQ(h.running("a"), 4);
  EXPECT_EQ(h.figures("a").maximum, 2);
  h.finish("J1/m0");
  h.finish("J1/m1");
  EXPECT_EQ(h.settle("tt1"), "");
  h.finish("J1/m2");
  EXPECT_EQ(h.settle("tt1"), "J1/m4");
}

TEST(FifoMaximum, FollowsTheClusterAndIsAtLeastTheGuaranteeAndOneSlot) {
  FifoHarness h;
  h.add_queue(limited("a", 25)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 2});
  h.submit({.queue = "a", .maps = 9});
  EXPECT_EQ(h.figures("a").maximum, 1);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.add_tracker("tt2", {.map_slots = 2});
  EXPECT_EQ(h.figures("a").maximum, 2) << "half of the cluster is guaranteed to a";
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m1");
}

TEST(FifoMaximum, FiguresSayWhatMayStart) {
  FifoHarness h;
  h.add_queue(limited("a", 50)).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 8});
  h.submit({.queue = "a", .maps = 3});
  h.heartbeat("tt1");
  h.submit({.queue = "a", .maps = 9});
  EXPECT_EQ(h.figures("a").maximum, 4);
  EXPECT_EQ(h.figures("a").running, 3);
  EXPECT_EQ(h.figures("a").pending, 1);
  EXPECT_EQ(h.figures("a").demand, 4);
  EXPECT_EQ(h.figures("b").maximum, 8);
  EXPECT_EQ(h.figures("b").pending, 0);
}

TEST(FifoMaximum, ExplainsWhoIsAtItsMaximum) {
  FifoHarness h;
  h.add_queue(limited("a", 50)).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 2});
  const auto first = h.submit({.queue = "a", .maps = 2});
  const auto second = h.submit({.queue = "a", .maps = 1});
  const auto third = h.submit({.queue = "b", .maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J3/m0");
  const auto why = [&](std::uint32_t job) {
    std::string text;
    for (const Reason& reason : h.engine().policy().explain(JobId(job), TaskKind::kMap, h.now)) {
      text += reason.code + ": " + reason.message + "; ";
    }
    return text;
  };
  const std::string full = "queue_at_maximum: queue a holds 1 of its maximum of 1 map slot; ";
  EXPECT_EQ(why(first), full);
  EXPECT_EQ(why(second), full + "jobs_before: 1 job is before it; ");
  EXPECT_EQ(why(third), "") << "those of a wait for their maximum, not for a slot";
}

}  // namespace
}  // namespace weir::test
