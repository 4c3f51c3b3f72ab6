// The capacity policy in the real engine, as stories. Names F1.. and E7 are those of the worked
// cases of the original schedulers (task indexes here start at 0, a heartbeat fills every free
// slot).
#include "capacity/capacity_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capacity_harness.h"

namespace weir::test {
namespace {

constexpr TrackerOptions kOneSlot{.map_slots = 1, .reduce_slots = 1};

TEST(CapacityCases, F1AndE7CapacityBasedAllocation) {
  CapacityHarness h;
  h.add_queue(queue("default", 10)).add_queue(queue("q2", 90));
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.submit({.queue = "default", .user = "u1", .maps = 10});
  h.submit({.queue = "q2", .user = "u1", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1");
  h.add_tracker("tt3");
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m2 J2/m3");
  h.add_tracker("tt4");
  EXPECT_EQ(h.heartbeat("tt3"), "J2/m4 J2/m5");
  h.add_tracker("tt5");
  EXPECT_EQ(h.figures_text("default"), "1 1 0 10");
  EXPECT_EQ(h.figures_text("q2"), "9 9 6 4");
  EXPECT_EQ(h.heartbeat("tt4"), "J1/m0 J2/m6");
}

TEST(CapacityCases, F2CapacityTransfer) {
  CapacityHarness h;
  h.add_queue(queue("default", 50)).add_queue(queue("q2", 50));
  for (const char* t : {"tt1", "tt2"}) h.add_tracker(t);
  h.submit({.queue = "q2", .user = "u1", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m2 J1/m3");
  EXPECT_EQ(h.figures_text("q2"), "2 4 4 6");
  EXPECT_EQ(h.figures_text("default"), "2 0 0 0");
}

// The original reckoned the limit by GC alone and gave J2 the second slot; ours counts what is
// allocated now.
TEST(CapacityCases, F3UserLimits) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("default", 50), 25));
  h.add_queue(with_user_minimum(queue("q2", 50), 25));
  for (const char* t : {"tt1", "tt2", "tt3", "tt4"}) h.add_tracker(t, kOneSlot);
  h.submit({.queue = "q2", .user = "u1", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.submit({.queue = "q2", .user = "u2", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m1");
  EXPECT_EQ(h.heartbeat("tt3"), "J2/m0");
  EXPECT_EQ(h.heartbeat("tt4"), "J2/m1");
}

TEST(CapacityCases, F4UserLimits2) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("default", 50), 25));
  h.add_queue(with_user_minimum(queue("q2", 50), 25));
  for (const char* t : {"tt1", "tt2"}) h.add_tracker(t);
  h.submit({.queue = "q2", .user = "u1", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.submit({.queue = "q2", .user = "u2", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0 J2/m1");
}

// A job whose user holds the limit is before nobody's that is within.
TEST(Capacity, JobsThatWillBePassedOverAreNotBeforeOthers) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("q", 100), 25));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "q", .user = "u1", .maps = 10});
  h.submit({.queue = "q", .user = "u1", .maps = 10});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J1/m3");
  h.submit({.queue = "q", .user = "u2", .maps = 10});
  EXPECT_EQ(h.why(3), "queue_at_capacity");
  EXPECT_EQ(h.why(1), "user_at_limit queue_at_capacity jobs_before");
  const auto reasons = h.engine().policy().explain(JobId(2), TaskKind::kMap, h.now);
  EXPECT_EQ(reasons.back().numbers[0].second, 2);  // J1, and J3, which came later
}

TEST(Capacity, LentSlotsComeBackAsTheyAreFreed) {
  CapacityHarness h;
  h.add_queue(queue("a", 60)).add_queue(queue("b", 40));
  for (int i = 0; i < 10; ++i) h.add_tracker("tt" + std::to_string(i), kOneSlot);
  h.submit({.queue = "b", .maps = 100, .reduces = 1, .slowstart_millionths = 1000000});
  for (int i = 0; i < 10; ++i) h.heartbeat("tt" + std::to_string(i));
  EXPECT_EQ(h.figures_text("b"), "4 10 10 90");
  h.submit({.queue = "a", .maps = 100});
  EXPECT_EQ(h.figures_text("a"), "6 6 0 100");
  EXPECT_EQ(h.figures_text("b"), "4 4 10 90");
  EXPECT_EQ(h.why(1), "queue_at_capacity claim_comes_first");
  EXPECT_EQ(h.why(2), "queue_is_owed");  // the claim is its own
  for (int i = 0; i < 8; ++i) {
    const std::string tracker = "tt" + std::to_string(i);
    h.finish_all(tracker);
    h.heartbeat(tracker);
  }
  EXPECT_EQ(h.figures_text("a"), "6 6 6 94");
  EXPECT_EQ(h.running("b"), 4);
}

TEST(Capacity, MapsComeBeforeReducesAndReducesHaveTheirOwnShares) {
  CapacityHarness h;
  h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
  h.submit({.queue = "a", .maps = 3, .reduces = 3});
  h.submit({.queue = "b", .maps = 3, .reduces = 3});
  h.add_tracker("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0 J1/r0 J2/r0");
  EXPECT_EQ(h.figures_text("a", TaskKind::kReduce), "1 1 1 2");
}

TEST(Capacity, InALeafPriorityThenSubmissionDecide) {
  CapacityHarness h;
  QueueSettings plain = queue("plain", 50);
  QueueSettings ordered = queue("q", 50);
  ordered.priorities = true;
  h.add_queue(ordered).add_queue(plain);
  h.submit({.queue = "q", .maps = 1});
  h.submit({.queue = "q", .maps = 1, .priority = Priority::kHigh});
  h.submit({.queue = "plain", .maps = 1});
  h.submit({.queue = "plain", .maps = 1, .priority = Priority::kHigh});
  h.add_tracker("tt1", {.map_slots = 4});
  EXPECT_EQ(h.why(1), "jobs_before");
  h.heartbeat("tt1");
  std::string order;
  for (const auto& launched : h.events<AttemptLaunched>()) {
    order += Harness::spell(launched.attempt.task) + " ";
  }
  EXPECT_EQ(order, "J2/m0 J3/m0 J1/m0 J4/m0 ");
}

TEST(Capacity, AFamilyKeepsAmongItselfWhatItCanUse) {
  CapacityHarness h;
  h.add_queue(with_children(queue("research", 60), {queue("vision", 50), queue("speech", 50)}));
  h.add_queue(queue("prod", 40));
  h.add_tracker("tt1", {.map_slots = 100, .reduce_slots = 0});
  h.submit({.queue = "research.vision", .maps = 200});
  h.submit({.queue = "prod", .maps = 200});
  EXPECT_EQ(h.figures_text("research"), "60 60 0 200");
  EXPECT_EQ(h.figures_text("research.vision"), "30 60 0 200");  // all of what speech does not use
  EXPECT_EQ(h.figures_text("prod"), "40 40 0 200");
  h.heartbeat("tt1");
  EXPECT_EQ(h.running("research.vision"), 60);
  EXPECT_EQ(h.running("prod"), 40);
  h.submit({.queue = "research.speech", .maps = 10});
  EXPECT_EQ(h.figures_text("research.vision"), "30 50 60 140");
  EXPECT_EQ(h.figures_text("research.speech"), "30 10 0 10");
  EXPECT_EQ(h.figures_text(""), "100 100 100 310");
}

TEST(Capacity, TheMaximumHoldsWhateverIsFree) {
  CapacityHarness h;
  QueueSettings capped = queue("capped", 20);
  capped.maximum_hundredths = 3000;
  h.add_queue(capped).add_queue(queue("other", 80));
  h.add_tracker("tt1", {.map_slots = 10});
  const auto job = h.submit({.queue = "capped", .maps = 20});
  EXPECT_EQ(h.figures_text("capped"), "2 3 0 3");
  h.heartbeat("tt1");
  EXPECT_EQ(h.figures_text("capped"), "2 3 3 0");
  EXPECT_EQ(h.figures_text("other"), "8 7 0 0");
  EXPECT_EQ(h.why(job), "queue_at_maximum");
}

TEST(Capacity, SoftUserLimitsGiveWayRatherThanLeaveASlotEmpty) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("q", 100), 25));
  h.add_tracker("tt1", {.map_slots = 8});
  const auto first = h.submit({.queue = "q", .user = "u1", .maps = 20});
  const auto second = h.submit({.queue = "q", .user = "u2", .maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J1/m3 J2/m0 J2/m1 J1/m4 J1/m5");
  EXPECT_EQ(h.why(first), "user_at_limit queue_at_capacity");
  EXPECT_EQ(h.why(second), "");
}

// A queue that wants no more is at its capacity; while slots are idle that holds nobody back.
TEST(Capacity, AUserAtTheLimitIsNotToldOfTheQueueWhileSlotsAreFree) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("q", 0), 25, UserLimit::Mode::kHard));
  h.add_queue(queue("other", 100));
  h.add_tracker("tt1", {.map_slots = 8});
  h.submit({.queue = "q", .user = "u1", .maps = 20});
  h.submit({.queue = "q", .user = "u2", .maps = 1});
  h.heartbeat("tt1");
  EXPECT_EQ(h.why(1), "user_at_limit");
}

TEST(Capacity, HardUserLimitsLendTheSlotOrLeaveItEmpty) {
  CapacityHarness h;
  h.add_queue(with_user_minimum(queue("q", 50), 25, UserLimit::Mode::kHard));
  h.add_queue(queue("other", 50));
  h.add_tracker("tt1", {.map_slots = 8});
  h.submit({.queue = "q", .user = "u1", .maps = 20});
  h.submit({.queue = "q", .user = "u2", .maps = 1});
  EXPECT_EQ(h.figures_text("q"), "4 4 0 3");  // two for u1, one for u2
  EXPECT_EQ(h.figures_text("other"), "4 4 0 0");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J2/m0");
  EXPECT_EQ(h.why(1), "user_at_limit");
  h.submit({.queue = "other", .maps = 10});
  h.heartbeat("tt1");
  EXPECT_EQ(h.figures_text("other"), "4 5 5 5");
}

TEST(Capacity, AUserMayAlwaysRunOneTask) {
  CapacityHarness h;
  QueueSettings q = with_user_minimum(queue("q", 100), 1, UserLimit::Mode::kHard);
  q.user_limit.factor_millionths = 1;
  h.add_queue(q);
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "q", .user = "u1", .maps = 5});
  h.submit({.queue = "q", .user = "u2", .maps = 5});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0");
}

TEST(Capacity, QueuesWithLessThanASlotTakeTurns) {
  CapacityHarness h;
  for (const char* name : {"a", "b", "c", "d"}) h.add_queue(queue(name, 25));
  h.add_tracker("tt1", kOneSlot);
  for (const char* name : {"a", "b", "c", "d"}) {
    h.submit({.queue = name, .maps = 10, .reduces = 1, .slowstart_millionths = 1000000});
  }
  std::string order;
  for (int i = 0; i < 8; ++i) {
    order += h.heartbeat("tt1") + " ";
    h.finish_all("tt1");
  }
  EXPECT_EQ(order, "J1/m0 J2/m0 J3/m0 J4/m0 J1/m1 J2/m1 J3/m1 J4/m1 ");
}

TEST(Capacity, AWideTaskIsPassedWhereItHasNoRoomAndTheNextIsAsked) {
  CapacityHarness h;
  h.add_queue(queue("q", 100));
  const auto huge = h.submit({.queue = "q", .maps = 1, .slots_per_map = 5});
  h.add_tracker("small", {.map_slots = 2});
  h.add_tracker("large", {.map_slots = 4});
  h.submit({.queue = "q", .maps = 1, .slots_per_map = 3});
  h.submit({.queue = "q", .maps = 5});
  EXPECT_EQ(h.figures_text("q"), "6 6 0 8");  // the huge one is not wanted anywhere
  EXPECT_EQ(h.why(huge), "no_tracker_large_enough");
  EXPECT_EQ(h.heartbeat("small"), "J3/m0 J3/m1");
  EXPECT_EQ(h.heartbeat("large"), "J2/m0 J3/m2");
  h.add_tracker("huge", {.map_slots = 5});
  EXPECT_EQ(h.heartbeat("huge"), "J1/m0");
}

TEST(Capacity, ATaskTooWideForTheAllocationStandsBehindTheOthers) {
  CapacityHarness h;
  h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "a", .maps = 3, .slots_per_map = 3});
  h.submit({.queue = "b", .maps = 3});
  // a has 2 of 4: its task needs 3, so both of b's slots go first. Then it is next in line, and the
  // tracker is reserved for it: the two slots that are left wait for a third.
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1");
  ASSERT_EQ(h.state().claims().reservations().size(), 1u);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.finish("J2/m0");
  EXPECT_EQ(h.settle("tt1"), "J1/m0");
  EXPECT_TRUE(h.state().claims().reservations().empty());
}

TEST(Capacity, AWideMapKeepsItsTrackerWhenAWideReduceOfItsJobStarts) {
  CapacityHarness h;
  h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 4});
  h.submit({.queue = "a", .maps = 3, .reduces = 3, .slots_per_map = 3, .slots_per_reduce = 3});
  h.submit({.queue = "b", .maps = 3, .reduces = 3});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1 J2/r0 J2/r1");
  ASSERT_EQ(h.state().claims().reservations().size(), 2u);
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 4});
  EXPECT_THAT(h.heartbeat("tt2"), testing::HasSubstr("J1/r0"));
  ASSERT_EQ(h.state().claims().reservations().size(), 1u);
  EXPECT_EQ(h.state().claims().reservations().all()[0].kind, TaskKind::kMap);
}

TEST(Capacity, MovedJobsTakeTheirRunningTasksAlong) {
  CapacityHarness h;
  h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 4});
  const auto job = h.submit({.queue = "a", .maps = 10});
  h.heartbeat("tt1");
  h.step(MoveJob{{"user", {}}, JobId(job), "b"});
  EXPECT_EQ(h.figures_text("a"), "2 0 0 0");
  EXPECT_EQ(h.figures_text("b"), "2 4 4 6");
  h.step(KillJob{{"user", {}}, JobId(job)});
  EXPECT_EQ(h.figures_text("b"), "2 2 0 0");
}

// Which of two stragglers is tried again first.
TEST(Capacity, SecondAttemptsAreForTheQueueWithLessOfItsGuarantee) {
  CapacityHarness h;
  h.add_queue(queue("large", 75)).add_queue(queue("small", 25));
  h.add_tracker("tt1", {.map_slots = 8});
  const JobId large(h.submit({.queue = "large", .maps = 4}));
  const JobId small(h.submit({.queue = "small", .maps = 2}));
  h.heartbeat("tt1");
  ASSERT_EQ(h.running("large"), 4);  // of 6
  ASSERT_EQ(h.running("small"), 2);  // of 2
  EXPECT_TRUE(comes_before(h.engine().policy(), large, small, TaskKind::kMap));
  EXPECT_FALSE(comes_before(h.engine().policy(), small, large, TaskKind::kMap));
}

TEST(Capacity, ReasonsSayNamesAndNumbers) {
  CapacityHarness h;
  h.add_queue(queue("research", 60)).add_queue(queue("prod", 40));
  h.add_tracker("tt1", {.map_slots = 5});
  h.submit({.queue = "prod", .maps = 3});
  const auto job = h.submit({.queue = "research", .maps = 9});
  h.heartbeat("tt1");
  const auto reasons = h.engine().policy().explain(JobId(job), TaskKind::kMap, h.now);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].message,
            "queue research is at its allocated 3 of 3 map slots (guaranteed 3)");
}

}  // namespace
}  // namespace weir::test
