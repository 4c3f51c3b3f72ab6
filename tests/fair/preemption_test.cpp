// Starvation and preemption under the fair policy.
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

using Preemption = FairSettings::Preemption;

struct Preempting : FairHarness {
  explicit Preempting(Preemption mode = Preemption::kOn) {
    section->preemption = mode;
    section->preemption_interval_ms = 0;
  }
  PoolSettings timed(PoolSettings p, DurationMs min_share_s, DurationMs fair_share_s = 0) {
    if (min_share_s > 0) p.min_share_timeout_ms = min_share_s * 1000;
    if (fair_share_s > 0) p.fair_share_timeout_ms = fair_share_s * 1000;
    return p;
  }
  // "J1/m3 J1/m2 for poolA": every order to kill since the last question.
  std::string kills() {
    std::string all;
    for (; seen_ < events<KillOrdered>().size(); ++seen_) {
      const KillOrdered kill = events<KillOrdered>()[seen_];
      all += (all.empty() ? "" : " ") + spell(kill.attempt.task) + ">" + kill.for_pool;
    }
    return all;
  }
  std::size_t seen_ = 0;
};

TEST(FairPreemption, C20MinShare) {
  Preempting h;
  h.section->assign_multiple = false;
  h.section->pools = {h.timed(pool("poolA", {.min_maps = 2, .min_reduces = 1}), 60)};
  for (const char* t : {"tt1", "tt2"}) h.add_tracker(t);
  h.submit(10, 10);
  EXPECT_EQ(h.heartbeats("tt1", 4), "J1/m0; J1/r0; J1/m1; J1/r1");
  h.advance(100);
  EXPECT_EQ(h.heartbeats("tt2", 4), "J1/m2; J1/r2; J1/m3; J1/r3");
  h.advance(10000);
  h.submit(10, 10, "poolA");
  h.advance(10000);
  EXPECT_EQ(h.kills(), "");
  h.advance(49000);
  EXPECT_EQ(h.kills(), "");
  h.advance(2000);
  EXPECT_EQ(h.kills(), "J1/m3>poolA J1/m2>poolA J1/r3>poolA");
  EXPECT_EQ(h.running_of(1), "2/3");
  h.advance(15000);  // under way: not again
  EXPECT_EQ(h.kills(), "");
  EXPECT_EQ(h.heartbeats("tt2", 4), "none; J2/m0; J2/m1; J2/r0");
  EXPECT_EQ(h.heartbeats("tt1", 1), "none");
  h.advance(1);
  EXPECT_EQ(h.pool_figures("poolA").below_min_share_ms[0], 0);
}

TEST(FairPreemption, FairShareHelpsAPoolWithAShareBelowTwo) {
  Preempting h;
  h.section->pools = {h.timed(pool("small", {.weight_millionths = 500'000}), 0, 30)};
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit(10, 0, "big");
  h.heartbeat("tt1");
  h.submit(10, 0, "small");  // share 1.33: half of it is more than none
  h.advance(30000);
  EXPECT_EQ(h.kills(), "");
  h.advance(1);
  EXPECT_EQ(h.kills(), "J1/m3>small");
  EXPECT_EQ(h.events<KillOrdered>().back().reason, KillReason::kFairShare);
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
  h.advance(100000);
  EXPECT_EQ(h.kills(), "");
}

TEST(FairPreemption, NoPoolFallsBelowItsShareAndNoJobBelowItsOwn) {
  Preempting h;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 4}), 10)};
  h.add_tracker("tt1", {.map_slots = 8, .reduce_slots = 0});
  h.submit(8, 0, "rich");
  h.heartbeat("tt1");
  h.submit(3, 0, "rich");  // J2's share of rich's 4 is 2, J1's is 2
  h.submit(9, 0, "poor");
  EXPECT_EQ(h.shares({1, 2, 3}), "2/0 2/0 4/0");
  h.advance(10001);
  EXPECT_EQ(h.kills(), "J1/m7>poor J1/m6>poor J1/m5>poor J1/m4>poor");
}

TEST(FairPreemption, OnlyUsefulKills) {
  Preempting h;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 2}), 10)};
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 3, .reduce_slots = 0});
  h.submit(10, 0, "rich");
  h.heartbeat("tt2");
  h.heartbeat("tt1");
  h.submit({.maps = 1, .slots_per_map = 2, .pool = "poor"});
  h.advance(10001);  // tt1 has one slot: the latest launched there is no use
  EXPECT_EQ(h.kills(), "J1/m2>poor J1/m1>poor");
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0");
}

TEST(FairPreemption, FreeSlotsAreTakenOff) {
  Preempting h;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 2}), 10)};
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit(9, 0, "rich");
  h.heartbeat("tt1");
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 0});
  h.submit(9, 0, "poor");
  h.advance(10001);
  EXPECT_EQ(h.kills(), "J1/m3>poor");
}

TEST(FairPreemption, LogOnlyKillsNothing) {
  Preempting h(Preemption::kLogOnly);
  h.section->pools = {h.timed(pool("poor", {.min_maps = 2}), 10)};
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit(9, 0, "rich");
  h.heartbeat("tt1");
  h.submit(9, 0, "poor");
  h.advance(10001);
  EXPECT_EQ(h.kills(), "");
  ASSERT_EQ(h.state().claims().records().size(), 2u);
  EXPECT_EQ(h.state().claims().records()[0].outcome, KillRecord::Outcome::kLoggedOnly);
  EXPECT_EQ(h.state().claims().records()[0].for_pool, "poor");
  EXPECT_EQ(h.state().claims().records()[0].owed_ms, 10001);
}

TEST(FairPreemption, ABudgetBoundsWhatAPoolMayLose) {
  Preempting h;
  PoolSettings rich = pool("rich");
  rich.kill_budget = 25;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 4}), 10), rich};
  h.add_tracker("tt1", {.map_slots = 8, .reduce_slots = 0});
  h.submit(9, 0, "rich");
  h.heartbeat("tt1");
  h.submit(9, 0, "poor");
  h.advance(10001);  // each costs 10 slot-seconds
  EXPECT_EQ(h.kills(), "J1/m7>poor J1/m6>poor");
}

TEST(FairPreemption, TheFirstCheckIsDueOneIntervalAfterTheStart) {
  Preempting h;
  h.section->preemption_interval_ms = 15000;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 1}), 1)};
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit(9, 0, "rich");
  h.heartbeat("tt1");
  h.submit(9, 0, "poor");
  h.advance(14999);
  EXPECT_EQ(h.kills(), "");
  h.advance(1);
  EXPECT_EQ(h.kills(), "J1/m1>poor");
}

TEST(FairPreemption, WhatAChildGotCountsForItsParents) {
  Preempting h;
  PoolSettings org = h.timed(pool("org", {.min_maps = 3}), 10);
  org.pools = {h.timed(pool("a", {.min_maps = 2}), 10), pool("b")};
  h.section->pools = {org};
  h.add_tracker("tt1", {.map_slots = 8, .reduce_slots = 0});
  h.submit(20, 0, "other");
  h.heartbeat("tt1");
  h.submit(9, 0, "org.a");
  h.submit(9, 0, "org.b");
  h.advance(10001);
  EXPECT_EQ(h.kills(), "J1/m7>org.a J1/m6>org.a J1/m5>org");
  h.heartbeat("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1 J3/m0");
}

// 40 slots, a minimum of 20: however small the others' shares are, they give it back, and that is
// the end of it.
TEST(FairPreemption, AMinimumIsMetThoughTheBorrowersAreSmall) {
  for (const std::int64_t width : {1, 2}) {
    Preempting h;
    h.section->pools = {h.timed(pool("poor", {.min_maps = 20}), 10)};
    h.section->undeclared.fair_share_timeout_ms = 20000;
    h.add_tracker("tt1", {.map_slots = 40, .reduce_slots = 0});
    for (int i = 0; i < 40 / width; ++i) {
      h.submit({.maps = 1,
                .slots_per_map = width,
                .pool = "p" + std::to_string(i)});
    }
    h.heartbeat("tt1");
    EXPECT_EQ(h.state().free_slots(TaskKind::kMap), 0);
    h.submit(90, 0, "poor");
    h.advance(10001);
    EXPECT_EQ(h.events<KillOrdered>().size(), static_cast<std::size_t>(20 / width));
    h.heartbeat("tt1");
    h.heartbeat("tt1");
    EXPECT_EQ(h.pool_figures("poor").of[0].running, 20);
    for (int minute = 0; minute < 10; ++minute) h.advance(60000);
    EXPECT_EQ(h.events<KillOrdered>().size(), static_cast<std::size_t>(20 / width));
  }
}

// Who was gathered for a wide task before somebody who will do alone is spared.
TEST(FairPreemption, NobodyDiesBesideAVictimThatDoesAlone) {
  Preempting h;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 4}), 10)};
  h.add_tracker("tt1", {.map_slots = 5, .reduce_slots = 0});
  h.submit({.maps = 2, .slots_per_map = 2, .pool = "wide"});
  h.heartbeat("tt1");
  h.advance(1000);
  h.submit(1, 0, "small");
  h.heartbeat("tt1");
  h.submit({.maps = 9, .slots_per_map = 2, .pool = "poor"});
  h.advance(10001);  // the newest is J2/m0, of one slot
  EXPECT_EQ(h.kills(), "J1/m1>poor J1/m0>poor");
}

// What nobody may be killed for is said, with its number, until it is met.
TEST(FairPreemption, AnUnmetNeedIsCounted) {
  Preempting h;
  PoolSettings rich = pool("rich");
  rich.kill_budget = 15;
  h.section->pools = {h.timed(pool("poor", {.min_maps = 3}), 10), rich};
  h.add_tracker("tt1", {.map_slots = 8, .reduce_slots = 0});
  h.submit(9, 0, "rich");
  h.heartbeat("tt1");
  h.submit(9, 0, "poor");
  h.advance(10000);
  EXPECT_EQ(h.pool_figures("poor").unmet[0], 0);
  h.advance(1);  // each costs 10 slot-seconds
  EXPECT_EQ(h.kills(), "J1/m7>poor");
  EXPECT_EQ(h.pool_figures("poor").unmet[0], 2);
  EXPECT_EQ(h.pool_figures("rich").unmet[0], 0);
}

}  // namespace
}  // namespace weir::test
