// Claims, kill timers, victims, holds and reservations, as stories (capacity.md).
#include <gtest/gtest.h>

#include "capacity_harness.h"

namespace weir::test {
namespace {

using Outcome = KillRecord::Outcome;

QueueSettings timed(QueueSettings q, DurationMs reclaim_after_ms) {
  for (auto& after : q.reclaim_after_ms) after = reclaim_after_ms;
  return q;
}

// Two queues of two slots each on one tracker, b runs on all four, a's three maps are just
// submitted.
struct Borrowed : CapacityHarness {
  explicit Borrowed(const std::function<void(Borrowed&)>& change = {}) {
    auto section = std::make_shared<CapacitySettings>();
    capacity = section.get();
    settings().policies["capacity"] = section;
    queues = {timed(queue("a", 50), 10'000), timed(queue("b", 50), 10'000)};
    if (change) change(*this);
    for (const QueueSettings& q : queues) add_queue(q);
    add_tracker("tt1", {.map_slots = 4});
    submit({.queue = "b", .user = "bob", .maps = 10});
    heartbeat("tt1");
    advance(100);
    submit({.queue = "a", .user = "ann", .maps = 3});
    heartbeat("tt1");
  }
  const std::vector<Claim>& claims(const std::string& path) {
    return state().claims().claims(*state().tree().find_path(path), TaskKind::kMap);
  }
  std::string kills() {
    std::string text;
    const auto orders = events<KillOrdered>();
    for (; seen < orders.size(); ++seen) {
      text += (text.empty() ? "" : " ") + spell(orders[seen].attempt.task);
    }
    return text;
  }
  CapacitySettings* capacity = nullptr;
  std::vector<QueueSettings> queues;
  std::size_t seen = 0;
};

TEST(Claims, ArisesWithTheShortfallAndKillsWhenItIsDueAndNotBefore) {
  Borrowed h;
  ASSERT_EQ(h.claims("a").size(), 1u);
  EXPECT_EQ(h.claims("a")[0].slots, 2);
  const TimeMs born = h.now;
  EXPECT_EQ(h.claims("a")[0].deadline, born + 10'000);
  h.advance(9'999);
  EXPECT_EQ(h.kills(), "");
  h.advance(1);
  EXPECT_EQ(h.kills(), "J1/m3 J1/m2");  // launched together: the higher id first
  h.advance(1'000);
  EXPECT_EQ(h.kills(), "");           // under way
  EXPECT_EQ(h.heartbeat("tt1"), "");  // hears of the kills
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0 J2/m1");
  EXPECT_TRUE(h.claims("a").empty());
  for (const KillRecord& record : h.state().claims().records()) {
    EXPECT_EQ(record.outcome, Outcome::kUsed);
    EXPECT_EQ(record.owed_ms, 10'000);
  }
  EXPECT_EQ(h.figures_text("a"), "2 2 2 1");
  EXPECT_EQ(h.figures_text("b"), "2 2 2 8");
}

TEST(Claims, MetByLaunchesAndDroppedWithFallingDemand) {
  Borrowed h;
  h.finish("J1/m0");
  h.settle("tt1");
  ASSERT_EQ(h.claims("a").size(), 1u);
  EXPECT_EQ(h.claims("a")[0].slots, 1);
  EXPECT_EQ(h.events<ClaimMet>().size(), 1u);
  h.step(KillJob{{"ann", {}}, JobId(2)});
  h.settle("tt1");
  EXPECT_TRUE(h.claims("a").empty());
  EXPECT_EQ(h.events<ClaimDropped>().size(), 1u);
}

TEST(Claims, ASlotFreedAndFilledAgainKeepsTheClaimOld) {
  Borrowed h;
  h.finish("J1/m0");
  h.settle("tt1");
  const TimeMs deadline = h.claims("a")[0].deadline;
  h.advance(1'000);
  h.finish("J2/m0");
  h.settle("tt1");
  EXPECT_EQ(h.running("a"), 1);
  ASSERT_EQ(h.claims("a").size(), 1u);
  EXPECT_EQ(h.claims("a")[0].deadline, deadline);
}

TEST(Claims, EachIncreaseOfTheShortfallIsAClaimOfItsOwn) {
  Borrowed h([](Borrowed& b) {
    b.queues[0] = timed(queue("a", 75), 10'000), b.queues[1] = queue("b", 25);
  });
  h.advance(4'000);
  EXPECT_EQ(h.claims("a").size(), 1u);
  h.step(KillJob{{"ann", {}}, JobId(2)});
  h.submit({.queue = "a", .user = "ann", .maps = 1});
  h.heartbeat("tt1");
  const TimeMs first = h.claims("a")[0].deadline;
  EXPECT_EQ(h.claims("a")[0].slots, 1);
  h.advance(1'000);
  h.submit({.queue = "a", .user = "ann", .maps = 1});
  h.heartbeat("tt1");
  ASSERT_EQ(h.claims("a").size(), 2u);
  EXPECT_EQ(h.claims("a")[0].deadline, first);
  EXPECT_EQ(h.claims("a")[1].deadline, h.now + 10'000);
}

TEST(Claims, PreemptionOffKeepsThemVisibleAndLogOnlyRecords) {
  Borrowed off([](Borrowed& b) { b.capacity->preemption = CapacitySettings::Preemption::kOff; });
  off.advance(20'000);
  EXPECT_EQ(off.kills(), "");
  EXPECT_EQ(off.claims("a")[0].block, ClaimBlock::kPreemptionOff);

  Borrowed log(
      [](Borrowed& b) { b.capacity->preemption = CapacitySettings::Preemption::kLogOnly; });
  log.advance(10'000);
  log.advance(1'000);
  EXPECT_EQ(log.kills(), "");
  EXPECT_EQ(log.claims("a")[0].block, ClaimBlock::kLogOnly);
  EXPECT_EQ(log.state().claims().records().size(), 2u);  // both, and once a timer only
  log.advance(9'000);
  EXPECT_EQ(log.state().claims().records().size(), 4u);
}

TEST(Claims, NothingDiesWhereTheClaimantCouldNotStart) {
  CapacityHarness h;
  h.add_queue(timed(queue("a", 50), 1'000)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 2});
  h.add_tracker("tt2", {.map_slots = 2});
  h.submit({.queue = "b", .maps = 10});
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  h.submit({.queue = "a", .maps = 1, .slots_per_map = 2});
  h.heartbeat("tt1");
  h.advance(1'000);
  // Both victims on one tracker, or none.
  const auto kills = h.events<KillOrdered>();
  ASSERT_EQ(kills.size(), 2u);
  EXPECT_EQ(kills[0].tracker, kills[1].tracker);
  h.settle("tt2", 2);
  EXPECT_EQ(h.running("a"), 2);
}

// Half of the cluster is free, and the organisation may not have it.
TEST(Claims, FreeSlotsAboveAMaximumServeNoClaim) {
  CapacityHarness h;
  QueueSettings org = queue("org", 50);
  org.maximum_hundredths = 5000;
  h.add_queue(with_children(org, {timed(queue("a", 50), 1'000), queue("b", 50)}));
  h.add_queue(queue("other", 50));
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "org.b", .maps = 10});
  h.heartbeat("tt1");
  EXPECT_EQ(h.running("org.b"), 2);
  h.submit({.queue = "org.a", .maps = 10});
  h.heartbeat("tt1");
  h.advance(1'000);
  EXPECT_EQ(h.events<KillOrdered>().size(), 1u);
  h.settle("tt1", 1);
  EXPECT_EQ(h.running("org.a"), 1);
  EXPECT_EQ(h.running("org.b"), 1);
}

TEST(Claims, OverBudgetTheClaimWaitsAndSaysSo) {
  Borrowed h([](Borrowed& b) { b.queues[1].kill_budget = 15; });
  h.advance(10'000);
  EXPECT_EQ(h.kills(), "J1/m3");  // 10.1 slot-seconds; a second one would be 20.2
  EXPECT_EQ(h.claims("a")[0].block, ClaimBlock::kOverBudget);
  h.settle("tt1", 2);
  h.advance(3'600'000);
  EXPECT_EQ(h.kills(), "");  // by now any one of its tasks costs more than an hour's budget
}

TEST(Claims, AKillThatBringsNoLaunchIsRecordedAndRepeatedOnlyAfterAnotherTimer) {
  Borrowed h;
  h.advance(10'000);
  EXPECT_EQ(h.kills(), "J1/m3 J1/m2");
  h.step(KillJob{{"ann", {}}, JobId(2)});
  h.settle("tt1", 3);
  for (const KillRecord& record : h.state().claims().records()) {
    EXPECT_EQ(record.outcome, Outcome::kWasted);
  }
  EXPECT_TRUE(h.state().claims().holds().empty());
  EXPECT_EQ(h.running("b"), 4);
}

}  // namespace
}  // namespace weir::test
