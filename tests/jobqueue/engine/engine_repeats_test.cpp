// What comes twice counts once, and a place that comes free is taken at once.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// The tracker's report as the harness would send it, with a number of the test's choosing.
Heartbeat report_of(Harness& h, const std::string& name, std::int64_t sequence) {
  Heartbeat report;
  report.name = name;
  report.incarnation = h.tracker(name).incarnation;
  report.sequence = sequence;
  for (const auto& [key, attempt] : h.tracker(name).held) report.attempts.push_back(attempt);
  return report;
}

TEST(EngineRepeats, AReportThatComesTwiceIsAnsweredTwiceAndTakenOnce) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 10'000;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  const Heartbeat first = report_of(h, "tt1", 1);
  h.step(first);
  h.submit({.maps = 1});
  h.now += 9'000;
  auto replies = h.step(first);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(std::get<HeartbeatReply>(replies[0].body).launch.empty());
  EXPECT_TRUE(h.events<AttemptLaunched>().empty());
  h.advance(1'000);  // but the tracker was heard
  EXPECT_EQ(h.state().live_trackers(), 1u);
}

TEST(EngineRepeats, TheAnswerToAReportThatComesTwiceHoldsNoCommitThatIsNotDurable) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.durable_at_once = false;
  const Heartbeat asks = report_of(h, "tt1", 100);
  EXPECT_TRUE(h.step(asks).empty());  // its answer waits for the store
  auto replies = h.step(asks);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(std::get<HeartbeatReply>(replies[0].body).commit.empty());
  replies = h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<HeartbeatReply>(replies[0].body).commit.size(), 1u);
}

// Settings that name another policy switch to it once, also if they come again before they count.
TEST(EngineRepeats, SettingsThatComeTwiceSwitchThePolicyOnce) {
  Harness h([](std::string_view, const ClusterState& state,
               PolicyMemory&) { return std::make_unique<FifoPolicy>(state); },
            "first");
  h.start();
  h.durable_at_once = false;
  auto second = std::make_shared<Settings>(h.settings());
  second->policy = "second";
  h.step(ApplySettings{{"admin", {}}, second});
  h.step(SetPolicy{{"admin", {}}, "third"});
  h.step(ApplySettings{{"admin", {}}, second});
  std::vector<std::string> policies;
  for (const PolicyChanged& change : h.events<PolicyChanged>()) policies.push_back(change.policy);
  EXPECT_THAT(policies, testing::ElementsAre("second", "third"));
}

// --- Places of running jobs ---

struct PlacesTest : testing::Test {
  PlacesTest() {
    QueueSettings one = queue("one");
    one.max_running_jobs = 1;
    one.priorities = true;
    h.add_queue(one).add_queue(queue("other"));
    h.submit({.queue = "one", .maps = 1});
    h.submit({.queue = "one", .maps = 1});
    h.submit({.queue = "one", .maps = 1});
  }
  std::string states() {
    std::string all;
    for (std::uint32_t job = 1; job <= 3; ++job) all += name(h.state_of(job))[0];
    return all;  // "RWW"
  }
  FifoHarness h;
};

TEST_F(PlacesTest, APlaceIsFreeWhenItsJobMovesAway) {
  EXPECT_EQ(states(), "RWW");
  h.step(MoveJob{{"user", {}}, JobId(1), "other"});
  EXPECT_EQ(states(), "RRW");
}

TEST_F(PlacesTest, AJobThatComesToBeMoreUrgentTakesThePlace) {
  h.step(SetPriority{{"user", {}}, JobId(3), Priority::kHigh});
  EXPECT_EQ(states(), "WWR");
  h.step(SetPriority{{"user", {}}, JobId(3), Priority::kVeryLow});
  EXPECT_EQ(states(), "RWW");
}

TEST_F(PlacesTest, NewSettingsGivePlaces) {
  auto settings = std::make_shared<Settings>(h.settings());
  settings->queues[0].max_running_jobs = 2;
  h.step(ApplySettings{{"admin", {}}, settings});
  EXPECT_EQ(states(), "RRW");
}

// A user at his own limit takes the place of a job of his own, whoever else is less urgent.
TEST(PlacesOfUsers, AreTheirOwn) {
  FifoHarness h;
  QueueSettings one = queue("default");
  one.max_running_jobs_per_user = 1;
  one.priorities = true;
  h.add_queue(one);
  h.submit({.user = "ann", .maps = 1});
  h.submit({.user = "bob", .maps = 1, .priority = Priority::kLow});
  h.submit({.user = "ann", .maps = 1, .priority = Priority::kHigh});
  EXPECT_EQ(h.state_of(1), JobState::kWaiting);
  EXPECT_EQ(h.state_of(2), JobState::kRunning);
  EXPECT_EQ(h.state_of(3), JobState::kRunning);
}

TEST(PlacesOfUsers, WhoIsAtHisLimitStopsNobodyElse) {
  FifoHarness h;
  QueueSettings one = queue("default");
  one.max_running_jobs_per_user = 1;
  h.add_queue(one);
  for (const char* user : {"ann", "ann", "bob", "bob"}) h.submit({.user = user, .maps = 1});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.state_of(2), JobState::kWaiting);
  EXPECT_EQ(h.state_of(3), JobState::kRunning);
  EXPECT_EQ(h.state_of(4), JobState::kWaiting);
  h.step(KillJob{{"bob", {}}, JobId(3)});
  EXPECT_EQ(h.state_of(2), JobState::kWaiting);
  EXPECT_EQ(h.state_of(4), JobState::kRunning);
}

TEST_F(PlacesTest, AJobWhoseReducesNeedMapsKeepsItsPlace) {
  for (std::uint32_t job = 1; job <= 3; ++job) h.step(KillJob{{"user", {}}, JobId(job)});
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.queue = "one", .maps = 2, .reduces = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J4/m0 J4/r0");
  h.submit({.queue = "one", .maps = 1, .priority = Priority::kVeryHigh});
  EXPECT_EQ(h.state_of(4), JobState::kRunning);
  EXPECT_EQ(h.state_of(5), JobState::kWaiting);
}

TEST_F(PlacesTest, AJobThatIsBeingMarkedKeepsItsPlace) {
  for (std::uint32_t job = 2; job <= 3; ++job) h.step(KillJob{{"user", {}}, JobId(job)});
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  h.submit({.queue = "one", .maps = 1, .priority = Priority::kVeryHigh});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.state_of(4), JobState::kWaiting);
  h.heartbeat("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_EQ(h.state_of(4), JobState::kRunning);
}

TEST(QueueLimits, MayBeReachedAndNotPassed) {
  FifoHarness h;
  QueueSettings limited = queue("default");
  limited.max_tasks_per_job = 3;
  limited.max_jobs = 3;
  limited.max_jobs_per_user = 2;
  h.add_queue(limited);
  EXPECT_EQ(h.submit({.user = "ann", .maps = 3, .reduces = 1}), 0u);
  EXPECT_NE(h.submit({.user = "ann", .maps = 2, .reduces = 1}), 0u);
  EXPECT_NE(h.submit({.user = "ann", .maps = 3}), 0u);
  EXPECT_EQ(h.submit({.user = "ann", .maps = 1}), 0u);
  EXPECT_NE(h.submit({.user = "bob", .maps = 1}), 0u);
  EXPECT_EQ(h.submit({.user = "bob", .maps = 1}), 0u);
}

}  // namespace
}  // namespace weir::test
