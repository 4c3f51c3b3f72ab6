// Drain, stop and resume: who gets nothing new, what goes on, when a tracker may leave.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"
#include "support/stored_snapshot.h"

namespace weir::test {
namespace {

class OrdersHarness : public FifoHarness {
 public:
  template <class Command>
  std::string refusal(const Command& command) {
    for (const Reply& reply : step(command)) {
      if (const auto* refused = std::get_if<Error>(&reply.body)) return refused->message;
    }
    return "";
  }
  std::string order(TrackerOrder order, std::vector<std::string> names,
                    const std::string& user = "root") {
    return refusal(OrderTrackers{{user, {}}, std::move(names), order});
  }
  const TrackerState& at(const std::string& name) { return *state().find_tracker(name); }
  const std::string& told(const std::string& name) { return tracker(name).last.leave; }
  void say_goodbye(const std::string& name) {
    Heartbeat report;
    report.name = name;
    report.incarnation = tracker(name).incarnation;
    report.sequence = ++tracker(name).sequence;
    report.leaving = true;
    step(report);
  }
};

TEST(Orders, ADrainingTrackerGetsNothingAndFinishesWhatItRuns) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.submit({.maps = 6});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  EXPECT_EQ(h.order(TrackerOrder::kDrain, {"tt1"}), "");
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 2);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.running("default"), 2);
  h.finish("J1/m0");
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).succeeded, 1u);
  EXPECT_EQ(h.told("tt1"), "");
  EXPECT_EQ(h.order(TrackerOrder::kNone, {"tt1"}), "");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
}

TEST(Orders, ADrainIsAboutTheMachineAndSurvivesTheTrackersRestart) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.order(TrackerOrder::kDrain, {"tt1"});
  h.add_tracker("tt1");  // another incarnation
  h.submit({.maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.at("tt1").ordered_by, "root");
}

TEST(Orders, OnlyAdministratorsOrderAndEveryNameMustBeKnown) {
  OrdersHarness h;
  h.settings().administrators = {"root"};
  h.add_tracker("tt1");
  EXPECT_THAT(h.order(TrackerOrder::kDrain, {"tt1"}, "eve"), testing::HasSubstr("administrator"));
  EXPECT_THAT(h.order(TrackerOrder::kDrain, {"tt1", "tt9"}), testing::HasSubstr("tt9"));
  EXPECT_THAT(h.order(TrackerOrder::kDrain, {}), testing::HasSubstr("no tracker"));
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kNone);
}

TEST(Orders, AStoppingTrackerStaysUntilItsOutputsAreFetched) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  EXPECT_EQ(h.order(TrackerOrder::kStop, {"tt1"}), "");
  h.heartbeat("tt1");
  EXPECT_EQ(h.told("tt1"), "") << "a map runs";
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.told("tt1"), "") << "the reduce needs its output";
  EXPECT_EQ(h.heartbeat("tt2"), "J1/r0");
  h.finish("J1/r0");
  h.settle("tt2");
  h.heartbeat("tt1");
  EXPECT_EQ(h.told("tt1"), "stopped by root");
  h.say_goodbye("tt1");
  EXPECT_EQ(h.at("tt1").state, TrackerState::State::kLost);
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kNone);
  EXPECT_THAT(h.events<TaskReopened>(), testing::IsEmpty());
  h.submit({.maps = 1});
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0") << "started again it is welcome";
}

TEST(Orders, StoppedNowItsTasksAndNeededOutputsAreMadeElsewhere) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 2, .reduce_slots = 1});
  h.submit({.maps = 2, .reduces = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.order(TrackerOrder::kStopNow, {"tt1"}), "");
  ASSERT_EQ(h.events<TaskReopened>().size(), 1u);
  EXPECT_THAT(h.events<TaskReopened>()[0].why, testing::HasSubstr("being stopped"));
  ASSERT_EQ(h.events<KillOrdered>().size(), 1u);
  EXPECT_EQ(h.events<KillOrdered>()[0].reason, KillReason::kTrackerStopped);
  h.heartbeat("tt1");
  EXPECT_EQ(h.told("tt1"), "") << "what is to die has not ended yet";
  h.heartbeat("tt1");
  EXPECT_EQ(h.told("tt1"), "stopped by root");
  h.say_goodbye("tt1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0 J1/m1 J1/r0");
  const Job& job = h.state().job(JobId(1));
  EXPECT_EQ(job.tasks(TaskKind::kMap).failed_attempts, 0u);
}

TEST(Orders, AMapThatEndsWhileItsTrackerIsStoppedAtOnceRunsAgain) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  h.order(TrackerOrder::kStopNow, {"tt1"});
  h.finish("J1/m0");  // before the kill has come
  h.settle("tt1", 3);
  EXPECT_EQ(h.events<TaskReopened>().size(), 1u);
  EXPECT_EQ(h.told("tt1"), "stopped by root");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0 J1/r0");
}

TEST(Orders, AStopThatIsTakenBackLeavesTheTrackerInThePool) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.order(TrackerOrder::kStop, {"tt1"});
  h.order(TrackerOrder::kNone, {"tt1"});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  EXPECT_EQ(h.told("tt1"), "");
}

TEST(Orders, TheLastTrackerEndsTheJobBeforeItLeaves) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.order(TrackerOrder::kStop, {"tt1"});
  h.finish("J1/m0");
  h.settle("tt1", 8);
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_EQ(h.told("tt1"), "stopped by root");
}

TEST(Orders, AStopIsForTheIncarnationThatItFound) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.order(TrackerOrder::kStop, {"tt1"});
  h.add_tracker("tt1");  // restarted before it was told
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kNone);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

TEST(Orders, ASilentTrackerThatIsDeclaredLostLosesItsTasksAtOnce) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.submit({.maps = 4});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  const DeclareLost lost{{"root", {}}, {"tt1"}, "power supply"};
  h.advance(3 * h.engine().heartbeat_interval_ms());
  EXPECT_THAT(h.refusal(lost), testing::HasSubstr("it is not dead"));
  EXPECT_EQ(h.running("default"), 2);
  h.advance(1);
  EXPECT_EQ(h.refusal(lost), "");
  EXPECT_EQ(h.at("tt1").lost_why, "was declared lost by root: power supply");
  EXPECT_EQ(h.running("default"), 0);
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0 J1/m1");
}

// One that was heard of keeps all: not even the dead one is lost.
TEST(Orders, ALostTrackerAmongLivingOnesIsNotLostAlone) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.advance(60000);
  h.heartbeat("tt2");
  EXPECT_THAT(h.refusal(DeclareLost{{"root", {}}, {"tt1", "tt2"}, ""}), testing::HasSubstr("tt2"));
  EXPECT_TRUE(h.at("tt1").live());
}

TEST(Orders, OnlyLostTrackersAreForgottenAndAreWelcomeWhenTheyComeBack) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.order(TrackerOrder::kDrain, {"tt1"});
  const ForgetTrackers forget{{"root", {}}, {"tt1"}};
  EXPECT_THAT(h.refusal(forget), testing::HasSubstr("is not lost"));
  EXPECT_FALSE(h.at("tt1").forgotten);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.refusal(forget), "");
  EXPECT_TRUE(h.at("tt1").forgotten);
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kNone);
  h.add_tracker("tt1");
  EXPECT_FALSE(h.at("tt1").forgotten);
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

// The stop ends while another order is written: that one came to the store first.
TEST(Orders, TheEndOfAStopDoesNotUndoADrainThatIsBeingWritten) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.order(TrackerOrder::kStop, {"tt1"});
  h.durable_at_once = false;
  h.order(TrackerOrder::kDrain, {"tt1"});
  h.add_tracker("tt1");  // another incarnation
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kDrain);
  const Snapshot snapshot = stored_snapshot(h.log);
  ASSERT_EQ(snapshot.tracker_orders.size(), 1u);
  EXPECT_EQ(snapshot.tracker_orders[0].order, TrackerOrder::kDrain);
}

TEST(Orders, ADrainOutlivesAStop) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.order(TrackerOrder::kDrain, {"tt1"});
  h.order(TrackerOrder::kStop, {"tt1"});
  h.order(TrackerOrder::kStopNow, {"tt1"});
  h.say_goodbye("tt1");
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kDrain);
  EXPECT_EQ(stored_snapshot(h.log).tracker_orders.at(0).order, TrackerOrder::kDrain);
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.order(TrackerOrder::kNone, {"tt1"});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

TEST(Orders, AStopIsOverWhenTheTrackerLeavesWhileItIsWritten) {
  OrdersHarness h;
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  h.order(TrackerOrder::kStop, {"tt1"});
  h.durable_at_once = false;
  h.order(TrackerOrder::kStopNow, {"tt1"});
  h.say_goodbye("tt1");
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kNone);
  EXPECT_TRUE(stored_snapshot(h.log).tracker_orders.empty());
}

TEST(Orders, OrdersSurviveARestartOfTheJobTracker) {
  OrdersHarness before;
  before.add_tracker("tt1");
  before.add_tracker("tt2");
  before.add_tracker("tt3");
  before.order(TrackerOrder::kDrain, {"tt1"});
  before.order(TrackerOrder::kStop, {"tt2"});
  before.order(TrackerOrder::kDrain, {"tt3"});
  before.order(TrackerOrder::kNone, {"tt3"});
  OrdersHarness h;
  h.now = before.now;
  h.start(stored_snapshot(before.log));
  EXPECT_EQ(h.at("tt1").order, TrackerOrder::kDrain);
  EXPECT_EQ(h.at("tt2").order, TrackerOrder::kStop);
  EXPECT_EQ(h.at("tt3").order, TrackerOrder::kNone);
  EXPECT_EQ(h.state().total_slots(TaskKind::kMap), 2) << "that of tt3";
  for (const char* name : {"tt1", "tt2", "tt3"}) {
    h.tracker(name) = before.tracker(name);
    h.connect(name);
  }
  h.submit({.maps = 6});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.heartbeat("tt2"), "");
  EXPECT_EQ(h.told("tt2"), "stopped by root");
  EXPECT_EQ(h.heartbeat("tt3"), "J1/m0 J1/m1");
}

// --- Completed maps run again only when their output is still needed ---

// Two maps on tt1 are done, the reduce is on tt2; what becomes of the maps when tt1 is lost.
class LostOutputs : public OrdersHarness {
 public:
  void run_maps(std::uint32_t reduces) {
    add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
    add_tracker("tt2", {.map_slots = 2, .reduce_slots = 2});
    submit({.maps = 2, .reduces = reduces});
    heartbeat("tt1");
    finish("J1/m0");
    finish("J1/m1");
    settle("tt1");
  }
  std::size_t reopened() const { return events<TaskReopened>().size(); }
};

TEST(LostTracker, BeforeTheReducesHaveItsOutputsItsMapsRunAgain) {
  LostOutputs h;
  h.run_maps(1);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.reopened(), 2u);
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0 J1/m1 J1/r0");
}

TEST(LostTracker, AfterAllReducesAreDoneItsMapsDoNotRunAgain) {
  LostOutputs h;
  h.run_maps(1);
  h.heartbeat("tt2");
  h.finish("J1/r0");
  h.heartbeat("tt2");
  h.heartbeat("tt2");
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.reopened(), 0u);
  h.settle("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(LostTracker, TheMapsOfAMapOnlyJobDoNotRunAgain) {
  LostOutputs h;
  h.run_maps(0);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.reopened(), 0u);
}

TEST(LostTracker, AfterTheJobHasEndedNothingRunsAgain) {
  LostOutputs h;
  h.run_maps(1);
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.reopened(), 0u);
}

TEST(LostTracker, AReopenedMapIsNotAFailureOfItsTracker) {
  LostOutputs h;
  h.run_maps(1);
  h.step(LoseTracker{"tt1"});
  EXPECT_FALSE(h.state().job(JobId(1)).has_failures);
}

TEST(FetchFailures, OneOfManyReducesIsNotBelievedThreeAre) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 8});
  h.submit({.maps = 1, .reduces = 8});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  int reported = 0;
  for (auto& [key, attempt] : h.tracker("tt2").held) {
    attempt.fetch_failures = {{0, 0}};
    h.heartbeat("tt2");
    ++reported;
    EXPECT_EQ(h.events<TaskReopened>().size(), reported < 3 ? 0u : 1u);
    if (reported == 3) break;
  }
}

// One map after another says so, and no reduce runs yet: it fetches nothing.
TEST(FetchFailures, AMapIsNotBelieved) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 3, .reduce_slots = 0});
  h.submit({.maps = 4, .reduces = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  for (auto& [key, attempt] : h.tracker("tt2").held) attempt.fetch_failures = {{0, 0}};
  h.heartbeat("tt2");
  EXPECT_TRUE(h.events<TaskReopened>().empty());
}

TEST(FetchFailures, AReduceThatHasEndedCountsNoMore) {
  OrdersHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 1, .reduce_slots = 8});
  h.submit({.maps = 1, .reduces = 8});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  for (int i = 0; i < 4; ++i) {  // each says so, and fails
    const std::string task = "J1/r" + std::to_string(i);
    for (auto& [key, attempt] : h.tracker("tt2").held)
      if (h.spell(key.task) == task) attempt.fetch_failures = {{0, 0}};
    h.heartbeat("tt2");
    h.fail(task);
    h.heartbeat("tt2");
  }
  EXPECT_TRUE(h.events<TaskReopened>().empty());
}

}  // namespace
}  // namespace weir::test
