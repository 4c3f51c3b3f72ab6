// What the engine's events mean for the counters.
#include "tracker/jobtracker/engine_counting.h"

#include <gtest/gtest.h>

#include "support/container_harness.h"
#include "support/fifo_harness.h"
#include "tracker/published/decision_log.h"

namespace weir::test {
namespace {

template <class Base>
struct Counting : Base {
  using Base::engine;
  using Base::log;
  EngineCounters counters;
  DecisionLog decisions{1};
  std::size_t counted = 0;
  EngineCounters& count() {
    engine();
    for (; counted < log.size(); ++counted)
      count_event(counters, log[counted], engine(), decisions.on(log[counted], engine()));
    return counters;
  }
  EngineCounters::OfClass& maps() { return count().of[0]; }
  void told(DurableFact fact) {
    engine();
    log.push_back({1, this->now, std::move(fact)});
  }
};
using CountingHarness = Counting<FifoHarness>;

std::int64_t of(const Count (&counts)[kKillReasonCount], KillReason reason) {
  return counts[static_cast<std::size_t>(reason)].get();
}

TEST(EngineCounting, AJobFromItsSubmissionToItsEnd) {
  CountingHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1, .locations = {{"host-tt1"}}});
  h.now += 5'000;
  h.heartbeat("tt1");
  h.now += 2'000;
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.maps().launches[static_cast<std::size_t>(Locality::kNode)].get(), 1);
  EXPECT_EQ(h.maps().succeeded.get(), 1);
  EXPECT_EQ(h.counters.jobs_submitted.get(), 1);
  EXPECT_EQ(h.counters.jobs_ended[static_cast<std::size_t>(JobState::kSucceeded)].get(), 1);
  EXPECT_DOUBLE_EQ(h.counters.job_wait_seconds.sum(), 5);
  EXPECT_DOUBLE_EQ(h.counters.job_run_seconds.sum(), 2);
}

TEST(EngineCounting, AKillOnceWithItsReasonAndWhatWasLost) {
  CountingHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1, .slots_per_map = 2});
  h.heartbeat("tt1");
  h.now += 3'000;
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.settle("tt1");
  EXPECT_EQ(of(h.maps().kills, KillReason::kJobKilled), 1);
  EXPECT_EQ(of(h.maps().wasted_slot_ms, KillReason::kJobKilled), 6'000);
  EXPECT_EQ(of(h.maps().kills, KillReason::kTrackerLost), 0);
  EXPECT_EQ(h.maps().killed.get(), 1);
}

TEST(EngineCounting, WhatWentWithATrackerIsItsLoss) {
  CountingHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 2});
  h.heartbeat("tt1");
  h.now += 1'000;
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(of(h.maps().kills, KillReason::kTrackerLost), 2);
  EXPECT_EQ(of(h.maps().wasted_slot_ms, KillReason::kTrackerLost), 2'000);
  EXPECT_EQ(h.count().trackers_lost.get(), 1);
}

TEST(EngineCounting, ClaimsByWhatBecomesOfThem) {
  CountingHarness h;
  h.told(ClaimOpened{.claim = 1, .queue = "default", .slots = 5});
  h.told(ClaimOpened{.claim = 1, .queue = "default", .slots = 5, .again = true});
  h.told(ClaimMet{.claim = 1, .queue = "default", .slots = 3});
  h.told(ClaimDropped{.claim = 1, .queue = "default", .slots = 2});
  const auto& of = h.count().by[Dimension::kMapSlots.value()];
  EXPECT_EQ(of.claims_opened.get(), 1);
  EXPECT_EQ(of.claim_slots_opened.get(), 5);
  EXPECT_EQ(of.claim_slots_met.get(), 3);
  EXPECT_EQ(of.claim_slots_dropped.get(), 2);
}

TEST(EngineCounting, ClaimsOfContainersByDimension) {
  Counting<ContainerHarness> h;
  h.told(ClaimOpened{.claim = 1, .queue = "default", .dimension = Dimension::kVcores, .slots = 4});
  h.told(ClaimMet{.claim = 1, .queue = "default", .dimension = Dimension::kVcores, .slots = 4});
  EXPECT_EQ(h.count().by[Dimension::kVcores.value()].claims_opened.get(), 1);
  EXPECT_EQ(h.counters.by[Dimension::kVcores.value()].claim_slots_met.get(), 4);
  EXPECT_EQ(h.counters.by[Dimension::kMemoryMb.value()].claims_opened.get(), 0);
}

// Of containers amounts are lost, of all groups together.
TEST(EngineCounting, TasksOfApplicationsAndWhatWasLostOfTheirContainers) {
  Counting<ContainerHarness> h;
  h.register_tracker("tt1", Resources{{0, 0, 8192, 8}});
  auto spec = std::make_shared<JobSpec>();
  spec->queue = "default";
  spec->user = "ann";
  spec->reduces = 0;
  for (const char* group : {"a", "b"}) {
    spec->task_groups.emplace_back().name = group;
    spec->task_groups.back().command = "true";
    spec->task_groups.back().count = 1;
    spec->task_groups.back().asked = {1024, 2, {}};
  }
  h.step(SubmitJob{{"ann", {}}, spec});
  h.heartbeat("tt1");
  h.now += 3'000;
  h.step(KillJob{{"ann", {}}, JobId(1)});
  h.settle("tt1");
  const auto& tasks = h.count().of[EngineCounters::class_of(group_kind(1))];
  EXPECT_EQ(tasks.launches[static_cast<std::size_t>(Locality::kAny)].get(), 2);
  EXPECT_EQ(tasks.killed.get(), 2);
  EXPECT_EQ(of(tasks.kills, KillReason::kJobKilled), 2);
  EXPECT_EQ(of(tasks.wasted_slot_ms, KillReason::kJobKilled), 0);
  EXPECT_EQ(of(h.counters.by[2].wasted_ms, KillReason::kJobKilled), 2 * 1'024 * 3'000);
  EXPECT_EQ(of(h.counters.by[3].wasted_ms, KillReason::kJobKilled), 2 * 2 * 3'000);
}

TEST(EngineCounting, RefusalsAndSwitches) {
  CountingHarness h;
  h.submit({.queue = "nowhere"});
  EXPECT_EQ(h.count().commands_refused.get(), 1);
  EXPECT_EQ(h.count().jobs_submitted.get(), 0);
}

}  // namespace
}  // namespace weir::test
