// Totals and claims over a restart: the cluster counts as it was until its trackers have reported.
#include <gmock/gmock.h>

#include "jobqueue/policy/claims_facet.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// Fifo that finds whatever the test puts here.
class ClaimingPolicy : public FifoPolicy, public Claims {
 public:
  using FifoPolicy::FifoPolicy;
  std::string_view name() const override { return "claiming"; }
  static inline int reviews = 0;
  static inline int ticks = 0;
  Claims* claims() override { return this; }
  void claim(std::vector<ClaimStep>&) override {}
  void review(TimeMs, bool, std::vector<ClaimStep>&) override { ++reviews; }
  Preemption tick(TimeMs) override {
    ++ticks;
    return {};
  }
};

class Restarted : public testing::Test {
 protected:
  Restarted()
      : h([](std::string_view, const ClusterState& state,
             PolicyMemory&) { return std::make_unique<ClaimingPolicy>(state); },
          "claiming") {
    ClaimingPolicy::reviews = ClaimingPolicy::ticks = 0;
    h.settings().heartbeat.expiry_ms = 60'000;
    snapshot.epoch = 2;
    snapshot.trackers = {{"tt1", Resources{{2, 2, 0, 0}}}, {"tt2", Resources{{4, 0, 0, 0}}}};
    snapshot.next_claim = 12;
    snapshot.claims = {{.claim = 9, .queue = "default", .slots = 2, .born = h.now - 1000}};
  }
  bool claims_are_followed() {
    ClaimingPolicy::reviews = ClaimingPolicy::ticks = 0;
    h.advance(1000);
    return ClaimingPolicy::reviews > 0 && ClaimingPolicy::ticks > 0;
  }
  Harness h;
  Snapshot snapshot;
};

TEST_F(Restarted, TotalsStayAsStoredAndClaimsRestUntilEveryTrackerHasReported) {
  h.start(snapshot);
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 6);
  EXPECT_EQ(h.state().live_trackers(), 0u);
  EXPECT_FALSE(claims_are_followed());
  h.add_tracker("tt1", {.map_slots = 3, .reduce_slots = 2});
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 7);
  h.heartbeat("tt1");
  EXPECT_FALSE(claims_are_followed());
  h.add_tracker("tt2", {.map_slots = 4, .reduce_slots = 0});
  EXPECT_FALSE(claims_are_followed());  // it is there, but has not said what it runs
  h.heartbeat("tt2");
  EXPECT_TRUE(claims_are_followed());
  const auto totals = h.events<TrackerTotal>();
  ASSERT_EQ(totals.size(), 1u);  // only tt1 is another one than it was
  EXPECT_EQ(totals[0].tracker, "tt1");
  EXPECT_EQ(totals[0].total.slots(TaskKind::kMap), 3);
}

TEST_F(Restarted, OrItsExpiryHasPassed) {
  h.start(snapshot);
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  for (int i = 0; i < 59; ++i) {
    h.advance(1000);
    h.heartbeat("tt1");
  }
  EXPECT_EQ(ClaimingPolicy::reviews, 0);
  h.advance(1000);
  EXPECT_TRUE(claims_are_followed());
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 2);
  EXPECT_EQ(h.events<TrackerTotal>().back().total, Resources{});  // tt2 is forgotten
}

TEST_F(Restarted, AJobMayBeAsWideAsATrackerThatIsAwaited) {
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 2});
  EXPECT_NE(h.submit({.maps = 1, .slots_per_map = 4}), 0u) << h.error.message;  // as tt2 was
  EXPECT_EQ(h.submit({.maps = 1, .slots_per_map = 5}), 0u);
}

TEST_F(Restarted, AnOpenClaimKeepsItsAgeAndNumbersGoOn) {
  h.start(snapshot);
  const QueueId leaf = *h.state().tree().find_path("default");
  const auto& claims = h.state().claims().claims(leaf, TaskKind::kMap);
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].id, 9u);
  EXPECT_EQ(claims[0].slots, 2);
  EXPECT_EQ(claims[0].deadline, h.now - 1000 + 300'000);  // the default of five minutes
  EXPECT_EQ(h.state().claims().next_id(), 12u);
}

// A kill budget is of any hour, whatever happens to the JobTracker.
TEST_F(Restarted, WhatKillsHaveCostCountsAsBefore) {
  snapshot.kill_losses = {{.queue = "default", .pool = "p", .at = h.now - 1000, .slot_ms = 70},
                          {.queue = "gone", .at = h.now - 500, .slot_ms = 5}};
  h.start(snapshot);
  const KillLosses& losses = h.state().claims().losses();
  EXPECT_EQ(losses.of_queue("default", h.now), 70);
  EXPECT_EQ(losses.of_pool("p", h.now), 70);
  EXPECT_EQ(losses.of_queue("default", h.now - 1000 + KillLosses::kWindowMs), 0);
}

struct PausedOverRestart : testing::Test {
  PausedOverRestart()
      : h([this](std::string_view name, const ClusterState& state,
                 PolicyMemory&) -> std::unique_ptr<Policy> {
            ++policies_made;
            if (name == "claiming") return std::make_unique<ClaimingPolicy>(state);
            return std::make_unique<FifoPolicy>(state);
          },
          "fifo") {
    snapshot.epoch = 2;
    snapshot.policy = "fifo";
    snapshot.policy_since = h.now - 500;
    snapshot.claims = {{.claim = 9, .queue = "default", .slots = 3, .born = h.now - 1000}};
  }
  std::int64_t owed() {
    return h.state().claims().owed(*h.state().tree().find_path("default"), TaskKind::kMap);
  }
  int policies_made = 0;
  Harness h;
  Snapshot snapshot;
};

// Neither the settings nor the store say whose the claims are: what the queue is still short of is
// in the state.
TEST_F(PausedOverRestart, NoMoreIsOwedThanTheQueueIsShortOf) {
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  const JobId job(h.submit({.maps = 3}));  // it is not launched: no heartbeat comes
  h.advance(1'000);
  EXPECT_EQ(owed(), 3);
  h.step(KillJob{{"ann", {}}, job});
  h.advance(1'000);
  EXPECT_EQ(owed(), 0);
  EXPECT_EQ(h.events<ClaimDropped>().size(), 1u);
}

TEST_F(PausedOverRestart, ThePolicyRulesSinceItWasSwitchedTo) {
  const TimeMs before = snapshot.policy_since;
  h.start(snapshot);
  EXPECT_EQ(h.engine().policy_since(), before);
  snapshot.policy.clear();  // the settings name another one by now
  h.start(snapshot);
  EXPECT_EQ(h.engine().policy_since(), h.now);
}

TEST_F(PausedOverRestart, ATickMakesNoPolicy) {
  h.start(snapshot);
  const int made = policies_made;
  EXPECT_EQ(made, 1);  // at the start: the one that rules
  for (int i = 0; i < 10; ++i) h.advance(1'000);
  EXPECT_EQ(policies_made, made);
}

TEST_F(PausedOverRestart, ASwitchSaysWhoseClaimsStandStill) {
  snapshot.policy = "claiming";
  snapshot.policy_since = 0;
  h.start(snapshot);
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  h.step(SetPolicy{{"root", {}}, "fifo"});
  ASSERT_EQ(h.events<PolicyChanged>().size(), 1u);
  EXPECT_EQ(h.events<PolicyChanged>()[0].claims_of, "claiming");
  h.step(SetPolicy{{"root", {}}, "other"});  // from one that has none to another such
  EXPECT_EQ(h.events<PolicyChanged>()[1].claims_of, "claiming");
  h.step(SetPolicy{{"root", {}}, "claiming"});
  EXPECT_EQ(h.events<PolicyChanged>()[2].claims_of, "");
}

TEST(ClaimDeadlines, NeverIsNeverWhateverIsAddedToIt) {
  ClaimBook book(2, kTaskKindCount);
  const QueueId leaf(1);
  EXPECT_EQ(book.open(leaf, TaskKind::kMap, 1, 5000, kNever).deadline, kNever);
  book.pause(5000);
  book.resume(6000);
  EXPECT_EQ(book.claims(leaf, TaskKind::kMap)[0].deadline, kNever);
  EXPECT_EQ(book.claims(leaf, TaskKind::kMap)[0].kills_from, kNever);
  book.set_deadlines(leaf, TaskKind::kMap, 2000);  // the settings have changed
  EXPECT_EQ(book.claims(leaf, TaskKind::kMap)[0].deadline, 6000 + 2000);
}

TEST(TrackerTotals, ADrainingOrLostTrackerIsNotInTheStore) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 5000;
  h.add_tracker("tt1");
  EXPECT_EQ(h.events<TrackerTotal>().size(), 1u);
  Heartbeat beat;
  beat.name = "tt1";
  beat.incarnation = h.tracker("tt1").incarnation;
  beat.accepts_tasks = false;
  beat.sequence = 1;
  h.step(beat);
  EXPECT_EQ(h.events<TrackerTotal>().back().total, Resources{});
  beat.accepts_tasks = true;
  beat.sequence = 2;
  h.step(beat);
  EXPECT_EQ(h.events<TrackerTotal>().back().total.slots(TaskKind::kMap), 2);
  h.advance(6000);
  EXPECT_EQ(h.events<TrackerTotal>().size(), 4u);
  EXPECT_EQ(h.events<TrackerTotal>().back().total, Resources{});
}

}  // namespace
}  // namespace weir::test
