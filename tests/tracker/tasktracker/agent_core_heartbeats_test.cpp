// An agent's heartbeats: when it calls, what it says of itself, and how it leaves.
#include "tracker/tasktracker/agent_core.h"

#include <gtest/gtest.h>

#include <set>

#include "core_harness.h"
#include "tracker/tasktracker/registration.h"

namespace weir::tasktracker {
namespace {

using State = ReportedState;

TEST(AgentCore, RegistersThenBeatsAtTheIntervalItIsTold) {
  CoreHarness h;
  EXPECT_EQ(h.at(0), "register");
  EXPECT_EQ(h.at(5000), "");  // one call in flight
  h.core.on_registered({.interval_ms = 300}, h.now());
  EXPECT_EQ(h.at(5299), "");
  EXPECT_EQ(h.at(5300), "heartbeat");
  EXPECT_EQ(h.beat.sequence, 1);
  EXPECT_EQ(h.at(9000), "");
  EXPECT_EQ(h.reply(CoreHarness::every(500)), "");
  EXPECT_EQ(h.core.next_wakeup_ms(), 9500);
  EXPECT_EQ(h.at(9500), "heartbeat");
  EXPECT_EQ(h.beat.sequence, 2);
}

TEST(AgentCore, FailedCallsBackOffAndKeepEverything) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0"}));
  h.describe();
  h.at(2000);
  const std::int64_t pauses[] = {200, 400, 800, 1600, 3200, 5000, 5000};
  for (const std::int64_t pause_ms : pauses) {
    const std::int64_t failed_ms = h.now_ms;
    h.core.on_call_failed(false, h.now());
    h.report("m0.0", State::kCommitPending);  // urgent, but there is nobody to tell
    EXPECT_EQ(h.at(h.now_ms + pause_ms / 2 - 1), "");  // up to a half is taken off
    EXPECT_EQ(h.at(h.core.next_wakeup_ms()), "heartbeat") << pause_ms;
    EXPECT_LE(h.now_ms, failed_ms + pause_ms);
  }
  h.core.on_call_failed(true, h.now());   // a JobTracker that has forgotten us
  EXPECT_EQ(h.at(h.now_ms), "register");  // at once
  h.core.on_call_failed(true, h.now());
  EXPECT_EQ(h.at(h.now_ms), "");
  EXPECT_EQ(h.at(h.now_ms + 200), "register");
  EXPECT_EQ(h.core.registration().reported, h.beat.sequence) << "what it sent may still arrive";
  h.core.on_registered({}, h.now());
  EXPECT_EQ(h.at(h.now_ms), "heartbeat");  // it must learn at once what runs here
  EXPECT_EQ(h.states(), "m0.0=COMMIT_PENDING");
  EXPECT_EQ(h.beat.incarnation, 42);
  EXPECT_EQ(h.beat.key, "secret");
}

TEST(MakeRegistration, DrawsAKeyForEachLife) {
  const std::string one = make_registration({}, 0, "home").key;
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, make_registration({}, 0, "home").key);
}

TEST(AgentCore, NotAllTrackersComeBackInOneInstant) {
  std::set<std::int64_t> pauses;
  for (int i = 0; i < 20; ++i) {
    auto registration = CoreHarness::registration();
    registration.name = "tt" + std::to_string(i);
    AgentCore core(registration, {});
    core.on_call_failed(false, {1000, 1000});
    pauses.insert(core.next_wakeup_ms() - 1000);
  }
  EXPECT_GE(*pauses.begin(), 100);
  EXPECT_LE(*pauses.rbegin(), 200);
  EXPECT_GE(pauses.size(), 10u);
}

// Thousands would not fit into its frame, and a tracker whose heartbeats are refused is lost.
TEST(AgentCore, OfManyHeldJobsEachHeartbeatListsTheNext) {
  AgentLimits limits;
  limits.held_jobs_a_heartbeat = 2;
  CoreHarness h(limits);
  h.quiet();
  h.at(1000);
  auto reply = CoreHarness::every(1000);
  for (const std::uint32_t job : {1, 2, 3, 4, 5})
    reply.launch.push_back({{{JobId(job), TaskKind::kMap, 0}, 0}, {}, true});
  h.reply(reply);
  const auto held_at = [&](std::int64_t ms) {
    h.at(ms);
    return h.beat.held_jobs;
  };
  EXPECT_EQ(held_at(2000), (std::vector{JobId(1), JobId(2)}));
  h.reply(CoreHarness::every(1000));
  EXPECT_EQ(held_at(3000), (std::vector{JobId(3), JobId(4)}));
  h.reply(CoreHarness::every(1000));
  EXPECT_EQ(held_at(4000), (std::vector{JobId(5), JobId(1)}));
}

TEST(AgentCore, FinishesAreCoalescedAndKeepTheGap) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  auto reply = CoreHarness::launch({"m0.0", "m1.0", "m2.0"});
  reply.out_of_band_gap_ms = 300;
  h.reply(reply);
  h.describe();
  h.now_ms = 1100;
  EXPECT_EQ(h.exit("m0.0"), "heartbeat");
  EXPECT_EQ(h.exit("m1.0"), "");  // one in flight
  auto again = CoreHarness::every(1000);
  again.out_of_band_gap_ms = 300;
  EXPECT_EQ(h.reply(again), "");
  EXPECT_EQ(h.exit("m2.0"), "");
  EXPECT_EQ(h.at(1399), "");
  EXPECT_EQ(h.at(1400), "heartbeat");
  EXPECT_EQ(h.states(), "m0.0=FAILED m1.0=FAILED m2.0=FAILED");
}

// One alone is at once.
TEST(AgentCore, EarlyHeartbeatsKeepASmallGapThatNobodyAskedFor) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "m1.0", "m2.0"}));
  h.describe();
  h.now_ms = 1100;
  EXPECT_EQ(h.exit("m0.0"), "heartbeat");
  EXPECT_EQ(h.reply(CoreHarness::every(1000)), "");
  EXPECT_EQ(h.exit("m1.0"), "");
  EXPECT_EQ(h.exit("m2.0"), "");
  EXPECT_EQ(h.at(1104), "");
  EXPECT_EQ(h.at(1105), "heartbeat");
  EXPECT_EQ(h.states(), "m0.0=FAILED m1.0=FAILED m2.0=FAILED");
  h.reply(CoreHarness::every(1000));
}

TEST(AgentCore, AHeartbeatThatIsFullStillNamesEveryAttempt) {
  AgentLimits limits;
  limits.heartbeat_bytes = 6000;
  CoreHarness h(limits);
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "m1.0", "m2.0", "m3.0"}));
  h.describe();
  for (const char* attempt : {"m0.0", "m1.0", "m2.0"})
    h.core.on_start_failed(CoreHarness::key(attempt), std::string(4000, 'x'), h.now());
  EXPECT_EQ(h.at(1000), "heartbeat");
  EXPECT_EQ(h.states(), "m0.0=FAILED m1.0=RUNNING m2.0=RUNNING m3.0=RUNNING");
  auto reply = CoreHarness::every(1000);
  reply.acknowledged.push_back(CoreHarness::key("m0.0"));
  EXPECT_EQ(h.reply(reply), "");
  EXPECT_EQ(h.at(1005), "heartbeat");  // the rest follows soon
  EXPECT_EQ(h.states(), "m1.0=FAILED m2.0=RUNNING m3.0=RUNNING");
  EXPECT_EQ(h.beat.attempts[0].diagnostics.size(), 4000u);
}

TEST(AgentCore, LowDiskTakesNoTasksAndSaysSo) {
  AgentLimits limits;
  limits.min_free_disk_mb = 100;
  CoreHarness h(limits);
  h.quiet();
  h.core.set_health(99, 0);
  h.at(1000);
  EXPECT_FALSE(h.beat.accepts_tasks);
  EXPECT_TRUE(h.beat.low_disk);
  EXPECT_EQ(h.beat.health, "free disk 99 MB is below the minimum of 100 MB");
}

TEST(AgentCore, ToldToLeaveItSaysGoodbyeAndEnds) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  auto leave = CoreHarness::every(1000);
  leave.leave = "stopped by root";
  EXPECT_EQ(h.reply(leave), "heartbeat") << "at once";
  EXPECT_TRUE(h.beat.leaving);
  EXPECT_EQ(h.reply(CoreHarness::every(1000)), "leave: stopped by root");
  EXPECT_EQ(h.at(9000), "");
}

TEST(AgentCore, AGoodbyeThatIsNotHeardIsSaidOnce) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  auto leave = CoreHarness::every(1000);
  leave.leave = "stopped by root";
  h.reply(leave);
  h.core.on_call_failed(false, h.now());
  EXPECT_EQ(h.actions(), "leave: stopped by root");
}

TEST(AgentCore, ItDoesNotLeaveWhatItHolds) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0"}));
  h.at(2000);
  auto leave = CoreHarness::every(1000);
  leave.leave = "stopped by root";
  EXPECT_EQ(h.reply(leave), "");
  h.at(3000);
  EXPECT_FALSE(h.beat.leaving);
}

TEST(AgentCore, ItDoesNotLeaveWhileItDoesADuty) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  auto leave = CoreHarness::duty(true);
  leave.leave = "stopped by root";
  EXPECT_EQ(h.reply(leave), "duty");
  h.at(2000);
  EXPECT_FALSE(h.beat.leaving);
  h.core.on_duty_done(leave.duties[0], true, "", h.now());
  EXPECT_EQ(h.reply(leave), "heartbeat");
  EXPECT_TRUE(h.beat.leaving);
  EXPECT_EQ(h.beat.duties.size(), 1u) << "what it did goes with the goodbye";
}

}  // namespace
}  // namespace weir::tasktracker
