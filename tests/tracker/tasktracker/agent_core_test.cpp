// The attempts and duties of an agent: what it starts, kills, commits and reports.
#include "tracker/tasktracker/agent_core.h"

#include <gtest/gtest.h>

#include "core_harness.h"
#include "thrift/wire_tracker.h"

namespace weir::tasktracker {
namespace {

using State = ReportedState;
using Phase = TaskPhase;

TEST(AgentCore, ALaunchIsFetchedStartedReportedAndAcknowledgedOnce) {
  CoreHarness h;
  h.quiet();
  EXPECT_EQ(h.at(1000), "heartbeat");
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0", "m1.0"})), "job");
  EXPECT_EQ(h.describe(), "start m0.0 start m1.0");
  EXPECT_EQ(h.at(2000), "heartbeat");
  EXPECT_EQ(h.states(), "m0.0=RUNNING m1.0=RUNNING");
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0", "m1.0"})), "");  // repeated: nothing new
  EXPECT_EQ(h.report("m0.0", State::kSucceeded), "");             // counts when the process is gone
  EXPECT_EQ(h.exit("m0.0"), "heartbeat");                         // at once
  EXPECT_EQ(h.states(), "m0.0=SUCCEEDED m1.0=RUNNING");
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0"})), "");
  EXPECT_EQ(h.at(3000), "heartbeat");
  EXPECT_EQ(h.states(), "m0.0=SUCCEEDED m1.0=RUNNING");  // until acknowledged
  auto reply = CoreHarness::every(1000);
  reply.acknowledged.push_back(CoreHarness::key("m0.0"));
  reply.acknowledged.push_back(CoreHarness::key("m1.0"));  // runs: not to be forgotten
  EXPECT_EQ(h.reply(reply), "");
  EXPECT_EQ(h.at(4000), "heartbeat");
  EXPECT_EQ(h.states(), "m1.0=RUNNING");
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0"})), "");  // an old launch starts nothing again
  EXPECT_EQ(h.beat.held_jobs, std::vector{JobId(7)});
}

TEST(AgentCore, AJobOfWhichNothingWaitsHereIsNotAskedFor) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0"})), "job");
  h.core.on_job_failed(JobId(7), false, "no answer", h.now());
  EXPECT_EQ(h.at(1200), "job");  // again, as long as an attempt waits for it
  h.core.on_job_failed(JobId(7), false, "no answer", h.now());
  EXPECT_EQ(h.at(2000), "job heartbeat");
  auto kill = CoreHarness::every(1000);
  kill.kill.push_back(CoreHarness::key("m0.0"));
  EXPECT_EQ(h.reply(kill), "heartbeat");
  h.core.on_job_failed(JobId(7), false, "no answer", h.now());
  EXPECT_EQ(h.at(2999), "");
}

// Also when the task has said something of itself: a JobTracker that was restarted knows it from
// here.
TEST(AgentCore, AnAttemptIsReportedWithItsUnits) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  HeartbeatReply reply = CoreHarness::launch({"m0.0"});
  auto grant = std::make_shared<Grant>();
  grant->units = {{"gpu", {0, 3}}};
  reply.launch[0].grant = grant;
  h.reply(reply);
  h.describe();
  h.report("m0.0", State::kRunning);
  EXPECT_EQ(h.at(2000), "heartbeat");
  ASSERT_EQ(h.beat.attempts.size(), 1u);
  ASSERT_NE(h.beat.attempts[0].units, nullptr);
  EXPECT_EQ(*h.beat.attempts[0].units, grant->units);
}

TEST(AgentCore, TableOfEnds) {
  const struct {
    const char* what;
    bool kill;
    State reported;
    Phase phase;
    State expected;
  } cases[] = {
      {"reported success", false, State::kSucceeded, Phase::kSort, State::kSucceeded},
      {"reported failure", false, State::kFailed, Phase::kMap, State::kFailed},
      {"vanished", false, State::kRunning, Phase::kMap, State::kFailed},
      {"vanished before its commit", false, State::kCommitPending, Phase::kCommit, State::kFailed},
      {"killed", true, State::kRunning, Phase::kMap, State::kKilled},
      {"killed while it waited to commit", true, State::kCommitPending, Phase::kCommit,
       State::kKilled},
      {"killed after it had failed", true, State::kFailed, Phase::kMap, State::kKilled},
      {"killed after its map was done", true, State::kSucceeded, Phase::kSort, State::kKilled},
      {"killed after it had published", true, State::kSucceeded, Phase::kCommit, State::kSucceeded},
  };
  for (const auto& c : cases) {
    CoreHarness h;
    h.quiet();
    h.at(1000);
    h.reply(CoreHarness::launch({"m0.0"}));
    h.describe();
    h.at(2000);
    auto reply = CoreHarness::every(1000);
    if (c.kill) reply.kill.push_back(CoreHarness::key("m0.0"));
    h.report("m0.0", c.reported, c.phase);
    h.reply(reply);
    h.exit("m0.0");
    h.reply(CoreHarness::every(1000));
    h.at(5000);
    ASSERT_EQ(h.beat.attempts.size(), 1u) << c.what;
    EXPECT_EQ(h.beat.attempts[0].state, c.expected) << c.what;
  }
}

TEST(AgentCore, AnAttemptEndsOnce) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0"}));
  h.describe();
  h.report("m0.0", State::kSucceeded, Phase::kSort);
  EXPECT_EQ(h.exit("m0.0"), "heartbeat");
  AttemptReport told = h.beat.attempts.at(0);
  h.reply(CoreHarness::every(1000));
  h.now_ms = 1500;
  h.core.on_start_failed(CoreHarness::key("m0.0"), "no memory", h.now());
  EXPECT_EQ(h.exit("m0.0"), "");  // nothing new
  EXPECT_EQ(h.at(2000), "heartbeat");
  told.age_ms = 1000;  // older, and else the same
  EXPECT_EQ(to_wire(h.beat.attempts.at(0)), to_wire(told));
}

TEST(AgentCore, KillsOnceAndWhatHasNotStartedEndsAtOnce) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0"}));
  auto kill = CoreHarness::every(1000);
  kill.kill.push_back(CoreHarness::key("m0.0"));
  kill.kill.push_back(CoreHarness::key("m9.0"));  // unknown: ignored
  h.at(2000);
  EXPECT_EQ(h.reply(kill), "heartbeat");  // its job is not even known: KILLED at once
  EXPECT_EQ(h.states(), "m0.0=KILLED");
  h.reply(CoreHarness::launch({"m1.0"}));
  EXPECT_EQ(h.describe(), "start m1.0");
  kill.kill = {CoreHarness::key("m1.0")};
  h.at(4000);
  EXPECT_EQ(h.reply(kill), "kill m1.0");
  h.at(5000);
  EXPECT_EQ(h.reply(kill), "");
}

TEST(AgentCore, CommitsOnlyWhilePendingAndFresh) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"r0.0"}));
  h.describe();
  auto commit = CoreHarness::every(1000);
  commit.commit.push_back(CoreHarness::key("r0.0"));
  h.at(2000);
  EXPECT_EQ(h.reply(commit), "");  // not pending
  EXPECT_EQ(h.report("r0.0", State::kCommitPending, Phase::kCommit), "heartbeat");
  h.now_ms += 6000;
  h.core.on_reply(commit, h.now_ms - 5001, h.now());
  EXPECT_EQ(h.actions(),
            "");  // the reply took too long: the JobTracker may have given it to another
  EXPECT_EQ(h.at(h.now_ms + 1000), "heartbeat");
  h.core.on_reply(commit, h.now_ms - 5000, h.now());
  EXPECT_EQ(h.actions(), "commit r0.0");  // in its last moment
  h.at(h.now_ms + 1000);
  EXPECT_EQ(h.reply(commit), "");  // on its way
  h.report("r0.0", State::kCommitPending,
           Phase::kCommit);  // the attempt found it too late, and asks again
  EXPECT_EQ(h.reply(commit), "commit r0.0");
}

TEST(AgentCore, ReducesGetOutputsAndTheGrant) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"r0.0"}, false));
  EXPECT_EQ(h.describe(), "start r0.0 outputs@0");
  MapOutputs outputs;
  outputs.outputs.resize(2);
  outputs.next = 2;
  outputs.maps = 3;
  h.core.on_outputs(JobId(7), outputs, h.now());
  EXPECT_EQ(h.actions(), "push r0.0x2");
  EXPECT_EQ(h.at(1400), "");
  EXPECT_EQ(h.at(1500), "outputs@2");
  h.core.on_outputs_failed(JobId(7), h.now());
  EXPECT_EQ(h.at(1600), "");
  EXPECT_EQ(h.at(1700), "outputs@2");
  outputs.outputs.resize(1);
  outputs.next = 3;
  h.core.on_outputs(JobId(7), outputs, h.now());
  EXPECT_EQ(h.actions(), "push r0.0x1");
  auto grant = CoreHarness::every(1000);
  grant.compute_granted = {CoreHarness::key("r0.0")};
  h.at(2000);
  EXPECT_EQ(h.reply(grant), "grant r0.0");
  h.at(3000);
  EXPECT_EQ(h.reply(grant), "");
  h.report("r0.0", State::kRunning, Phase::kReduce);
  EXPECT_EQ(h.at(3999), "");  // nobody copies: nobody asks
  h.at(4000);
  EXPECT_EQ(h.reply(CoreHarness::launch({"r1.0"})),
            "start r1.0 push r1.0x3 outputs@3");  // knows them already
}

TEST(AgentCore, TaskTimeoutCountsIdlenessButNotWaiting) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "r0.0"}));
  h.describe(600000);
  h.report("r0.0", State::kRunning, Phase::kShuffle, true);
  EXPECT_EQ(h.at(600999).find("kill"), std::string::npos);
  EXPECT_EQ(h.at(601000), "kill m0.0");  // alone
  EXPECT_EQ(h.at(700000), "");
  h.reply(CoreHarness::every(1000));
  h.exit("m0.0");
  h.at(h.now_ms + 1000);
  EXPECT_EQ(h.states(), "m0.0=FAILED r0.0=RUNNING");
  EXPECT_EQ(h.beat.attempts[0].diagnostics, "no progress for 10m (task_timeout)");
}

// While it waits for the order it waits for others. It is reported when its process is gone, and
// may have published until then.
TEST(AgentCore, APublishingThatHangsIsEnded) {
  for (const std::int64_t timeout_ms : {0, 60'000}) {
    CoreHarness h;
    h.quiet();
    h.at(1000);
    h.reply(CoreHarness::launch({"r0.0"}));
    h.describe(timeout_ms);
    h.report("r0.0", State::kCommitPending, Phase::kCommit);
    EXPECT_EQ(h.at(2'000'000).find("kill"), std::string::npos);
    auto order = CoreHarness::every(10'000'000);
    order.commit = {CoreHarness::key("r0.0")};
    EXPECT_EQ(h.reply(order), "commit r0.0");
    const std::int64_t patience_ms = timeout_ms > 0 ? timeout_ms : 600'000;
    EXPECT_EQ(h.core.next_wakeup_ms(), 2'000'000 + patience_ms);
    EXPECT_EQ(h.at(2'000'000 + patience_ms - 1), "");
    EXPECT_EQ(h.at(2'000'000 + patience_ms), "kill r0.0");
    EXPECT_EQ(h.exit("r0.0"), "heartbeat");
    EXPECT_EQ(h.states(), "r0.0=FAILED");
    EXPECT_EQ(h.beat.attempts[0].diagnostics, "its output was not published within " +
                                                  std::string(timeout_ms > 0 ? "1m" : "10m"));
  }
}

TEST(AgentCore, WhatTakesTooMuchIsKilledOnceAndSaysWhy) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "m1.0"}));
  h.describe();
  EXPECT_EQ(h.over_limit("m0.0", "too much"), "kill m0.0");
  EXPECT_EQ(h.over_limit("m0.0", "still too much"), "");
  EXPECT_EQ(h.over_limit("m7.0", "nobody"), "");
  h.exit("m0.0", "; a note");
  h.exit("m1.0", "; killed for memory");
  h.reply(CoreHarness::every(1000));
  h.at(h.now_ms + 1000);
  EXPECT_EQ(h.states(), "m0.0=FAILED m1.0=FAILED");
  EXPECT_EQ(h.beat.attempts[0].diagnostics, "too much");
  EXPECT_EQ(h.beat.attempts[1].diagnostics,
            "the task's process exited without a result; killed for memory");
}

TEST(AgentCore, IdlenessBeginsWhenWaitingEnds) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"r0.0"}));
  h.describe(600000);
  h.report("r0.0", State::kRunning, Phase::kShuffle, true);
  h.now_ms = 5000000;
  h.report("r0.0", State::kRunning, Phase::kReduce, false);
  EXPECT_EQ(h.at(5599999).find("kill"), std::string::npos);
  EXPECT_NE(h.at(5600000).find("kill r0.0"), std::string::npos);
}

TEST(AgentCore, AReduceThatMayNotComputeSaysSoAndAsksAtOnceWhenItHasCopied) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"r0.0"}, false));
  h.describe();
  h.report("r0.0", State::kRunning, Phase::kShuffle, true);
  h.at(2000);
  ASSERT_EQ(h.beat.attempts.size(), 1u);
  EXPECT_FALSE(h.beat.attempts[0].compute_granted);
  h.reply(CoreHarness::every(1000));
  h.now_ms = 2100;
  EXPECT_EQ(h.report("r0.0", State::kRunning, Phase::kSort, true), "heartbeat");
  EXPECT_FALSE(h.beat.attempts[0].compute_granted);
  EXPECT_EQ(h.beat.attempts[0].phase, Phase::kSort);
  auto grant = CoreHarness::every(1000);
  grant.compute_granted = {CoreHarness::key("r0.0")};
  EXPECT_EQ(h.reply(grant), "grant r0.0");
  h.report("r0.0", State::kRunning, Phase::kReduce);
  h.at(4000);
  EXPECT_TRUE(h.beat.attempts[0].compute_granted);  // as all do
}

TEST(AgentCore, OneHasSucceededWhenItSaysSoAfterItsCommit) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "m1.0"}));
  h.describe();
  const AttemptKey honest = CoreHarness::key("m0.0"), forged = CoreHarness::key("m1.0");
  h.report("m1.0", ReportedState::kSucceeded, TaskPhase::kCommit);
  EXPECT_FALSE(h.core.has_succeeded(forged));
  h.report("m1.0", ReportedState::kCommitPending, TaskPhase::kCommit);
  EXPECT_FALSE(h.core.has_succeeded(forged));
  h.report("m0.0", ReportedState::kCommitPending, TaskPhase::kCommit);
  h.at(2000);
  auto reply = CoreHarness::every(1000);
  reply.commit = {honest};
  EXPECT_TRUE(h.reply(reply).starts_with("commit m0.0"));
  EXPECT_FALSE(h.core.has_succeeded(honest));
  h.report("m0.0", ReportedState::kSucceeded, TaskPhase::kCommit);
  EXPECT_TRUE(h.core.has_succeeded(honest));
  reply.commit = {};
  reply.kill = {honest};
  h.at(3000);
  h.reply(reply);
  EXPECT_FALSE(h.core.has_succeeded(honest));
  EXPECT_FALSE(h.core.has_succeeded(CoreHarness::key("m2.0")));
}

TEST(AgentCore, DutiesRunOnceAndAreReportedWhileAskedFor) {
  CoreHarness h;
  h.quiet();
  const auto asked = CoreHarness::duty(true);
  const Duty& duty = asked.duties[0];
  h.at(1000);
  EXPECT_EQ(h.reply(asked), "duty");
  h.at(2000);
  EXPECT_EQ(h.reply(asked), "");
  h.core.on_duty_done(duty, false, "disk full", h.now());
  EXPECT_EQ(h.at(h.now_ms), "heartbeat");
  ASSERT_EQ(h.beat.duties.size(), 1u);
  EXPECT_EQ(h.reply(asked), "");  // not again at once
  h.at(7000);
  EXPECT_EQ(h.reply(asked), "duty");
  h.core.on_duty_done(duty, true, "", h.now());
  h.at(h.now_ms);
  EXPECT_TRUE(h.beat.duties[0].ok);
  h.reply(CoreHarness::every(1000));
  h.at(h.now_ms + 1000);
  EXPECT_TRUE(h.beat.duties.empty());
}

// The job was killed while its tracker published it.
TEST(AgentCore, ADutyThatWasTurnedRoundIsDoneWhenTheOtherIsOver) {
  CoreHarness h;
  h.quiet();
  const auto succeed = CoreHarness::duty(true), fail = CoreHarness::duty(false);
  h.at(1000);
  EXPECT_EQ(h.reply(succeed), "duty");
  h.at(2000);
  EXPECT_EQ(h.reply(fail), "");  // one at a time
  h.core.on_duty_done(succeed.duties[0], true, "", h.now());
  EXPECT_EQ(h.at(h.now_ms), "heartbeat");
  EXPECT_EQ(h.reply(fail), "duty");
  h.core.on_duty_done(fail.duties[0], true, "", h.now());
  EXPECT_EQ(h.at(h.now_ms + 5), "heartbeat");
  ASSERT_EQ(h.beat.duties.size(), 1u);
  EXPECT_EQ(h.beat.duties[0].succeed, false);
  EXPECT_EQ(h.reply(fail), "");
}

TEST(AgentCore, DropsAJobOnceNothingOfItRuns) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0"}));
  h.describe();
  auto drop = CoreHarness::every(1000);
  drop.drop_jobs = {JobId(7), JobId(99)};
  h.at(2000);
  EXPECT_EQ(h.reply(drop), "");
  EXPECT_EQ(h.exit("m0.0"), "heartbeat");
  EXPECT_EQ(h.reply(drop), "drop");
  h.at(4000);
  EXPECT_EQ(h.states(), "m0.0=FAILED");  // still reported
  EXPECT_TRUE(h.beat.held_jobs.empty());
}

TEST(AgentCore, AnUnknownJobFailsItsAttemptsAndAnUnreachableOneIsAskedAgain) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  EXPECT_EQ(h.reply(CoreHarness::launch({"m0.0"})), "job");
  h.core.on_job_failed(JobId(7), false, "silence", h.now());
  EXPECT_EQ(h.at(1100), "");
  EXPECT_EQ(h.at(1200), "job");
  h.core.on_job_failed(JobId(7), true, "no such job", h.now());
  EXPECT_EQ(h.at(1200), "heartbeat");
  EXPECT_EQ(h.beat.attempts[0].diagnostics,
            "the JobTracker does not describe the job: no such job");
}

TEST(AgentCore, AReportForAnotherAttemptIsIgnored) {
  CoreHarness h;
  h.quiet();
  h.at(1000);
  h.reply(CoreHarness::launch({"m0.0", "m1.0"}));
  h.describe();
  TaskReport forged;
  forged.status.attempt = CoreHarness::key("m1.0");
  forged.status.state = State::kFailed;
  h.core.on_report(CoreHarness::key("m0.0"), forged, h.now());
  h.at(2000);
  EXPECT_EQ(h.states(), "m0.0=RUNNING m1.0=RUNNING");
}

}  // namespace
}  // namespace weir::tasktracker
