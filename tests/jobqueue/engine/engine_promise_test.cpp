// What leaves the engine before it is durable, and what does not; what a failing store undoes; what
// a restart keeps.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

TEST(EnginePromise, ASubmissionIsAnsweredAndScheduledOnlyWhenDurable) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.durable_at_once = false;
  EXPECT_EQ(h.submit({.maps = 1}), 0u);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  const auto replies = h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<Submitted>(replies[0].body).job, JobId(1));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

TEST(EnginePromise, ARefusedSubmissionLeavesNothingButAUsedNumber) {
  FifoHarness h;
  QueueSettings limited = queue("default");
  limited.max_jobs = 1;
  h.add_queue(limited);
  h.add_tracker("tt1");
  h.durable_at_once = false;
  h.submit({.maps = 1});
  const auto replies = h.step(StoreFailed{h.engine().last_seq(), "disk full"});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<Error>(replies[0].body).code, ErrorCode::kStoreFailed);
  EXPECT_THAT(std::get<Error>(replies[0].body).message, testing::HasSubstr("disk full"));
  EXPECT_TRUE(h.state().jobs().empty());
  h.durable_at_once = true;
  EXPECT_EQ(h.submit({.maps = 1}), 2u);
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
}

TEST(EnginePromise, AKillThatTheStoreRefusedDoesNotHappen) {
  FifoHarness h;
  h.submit({.maps = 1});
  h.durable_at_once = false;
  EXPECT_TRUE(h.step(KillJob{{"user", {}}, JobId(1)}).empty());
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  h.step(StoreFailed{h.engine().last_seq(), "read-only"});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
}

TEST(EnginePromise, ACommitIsGrantedAndAnEndAcknowledgedOnlyWhenDurable) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.durable_at_once = false;
  h.heartbeat("tt1");  // no reply yet: it waits for the grant
  EXPECT_TRUE(h.tracker("tt1").last.commit.empty());
  const auto replies = h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(std::get<HeartbeatReply>(replies[0].body).commit.size(), 1u);
  h.heartbeat("tt1");
  h.heartbeat("tt1");  // reports SUCCEEDED
  EXPECT_TRUE(h.tracker("tt1").last.acknowledged.empty());
  EXPECT_EQ(h.tracker("tt1").held.size(), 1u);
  h.step(Durable{h.engine().last_seq()});
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.acknowledged.size(), 1u);
}

TEST(EnginePromise, AJobIsOverForReadersOnlyWhenItsEndIsDurable) {
  FifoHarness h;
  h.submit({.maps = 1});
  h.durable_at_once = false;
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.step(Durable{h.engine().last_seq()});
  const Job& job = h.state().job(JobId(1));
  EXPECT_EQ(job.state, JobState::kKilled);
  EXPECT_EQ(h.engine().visible_state(job), JobState::kRunning);
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.engine().visible_state(job), JobState::kKilled);
}

TEST(EnginePromise, PublishingWithoutAGrantFailsTheAttempt) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.tracker("tt1").held.begin()->second.state = ReportedState::kSucceeded;
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).failed_attempts, 1u);
}

// What the store would give back for one job with two maps done and one reduce to go.
Snapshot after_crash(std::int64_t incarnation) {
  auto spec = std::make_shared<JobSpec>();
  spec->user = "user";
  spec->queue = "default";
  spec->output = "/out";
  spec->splits.resize(2);
  spec->reduces = 1;
  JobSnapshot job;
  job.job = JobId(7);
  job.spec = spec;
  job.queue = "default";
  job.state = JobState::kRunning;
  job.done = {{TaskKind::kMap, 0, 0, "tt1", incarnation, nullptr},
              {TaskKind::kMap, 1, 0, "tt1", incarnation, nullptr}};
  Snapshot snapshot;
  snapshot.epoch = 2;
  snapshot.next_job = 8;
  snapshot.last_seq = 40;
  snapshot.jobs = {job};
  return snapshot;
}

TEST(EngineRestart, FinishedMapsStayFinishedAndNewAttemptsGetNewNumbers) {
  FifoHarness h;
  h.start(after_crash(1));
  h.add_tracker("tt1");  // incarnation 1: the same process as before
  // First everybody says what he runs; it is the only one.
  EXPECT_EQ(h.heartbeat("tt1"), "J7/r0");
  EXPECT_EQ(h.tracker("tt1").held.begin()->first.attempt, 10000u);
  EXPECT_EQ(h.submit({.maps = 1}), 8u);
}

TEST(EngineRestart, OutputsAreToldOnceTheirTrackerSaysWhereItListens) {
  FifoHarness h;
  h.start(after_crash(1));
  const auto outputs = [&h] {
    return std::get<MapOutputs>(h.step(QueryMapOutputs{JobId(7), 0}).at(0).body);
  };
  EXPECT_EQ(outputs().outputs.size(), 0u);
  EXPECT_EQ(outputs().next, 0u);
  EXPECT_EQ(outputs().list_id, 2u);  // another list than before the restart
  h.add_tracker("tt1");
  ASSERT_EQ(outputs().outputs.size(), 2u);
  EXPECT_EQ(outputs().outputs[0].host, "host-tt1");
}

TEST(EngineRestart, ACommitAloneDoesNotTellWhichProcessTheTrackerWas) {
  Snapshot snapshot = after_crash(1);
  JobSnapshot granted = snapshot.jobs[0];  // map-only, and its one map may have been published
  auto spec = std::make_shared<JobSpec>(*granted.spec);
  spec->output = "/out6";
  spec->reduces = 0;
  spec->splits.resize(1);
  granted.job = JobId(6);
  granted.spec = spec;
  granted.done.clear();
  const AttemptKey attempt{{JobId(6), TaskKind::kMap, 0}, 2};
  granted.commits = {{attempt, "tt1"}};
  snapshot.jobs.insert(snapshot.jobs.begin(), granted);
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1");
  AttemptReport published;
  published.attempt = attempt;
  published.state = ReportedState::kSucceeded;
  h.tracker("tt1").held.emplace(attempt, published);
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().job(JobId(6)).tasks(TaskKind::kMap).succeeded, 1u);
  EXPECT_EQ(h.state().job(JobId(7)).tasks(TaskKind::kMap).succeeded, 2u);  // nothing was lost
  EXPECT_TRUE(h.events<TaskReopened>().empty());
}

TEST(EngineRestart, WhatRanGoesOnWhateverTheLimitSays) {
  Snapshot snapshot = after_crash(1);
  JobSnapshot urgent = snapshot.jobs[0];
  auto spec = std::make_shared<JobSpec>(*urgent.spec);
  spec->output = "/out8";
  urgent.job = JobId(8);
  urgent.spec = spec;
  urgent.priority = Priority::kVeryHigh;
  urgent.state = JobState::kWaiting;
  urgent.done.clear();
  snapshot.jobs.push_back(urgent);
  FifoHarness h;
  QueueSettings limited = queue("default");
  limited.max_running_jobs = 1;
  h.add_queue(limited);
  h.start(snapshot);
  EXPECT_EQ(h.state_of(7), JobState::kRunning);
  EXPECT_EQ(h.state_of(8), JobState::kWaiting);
}

TEST(EngineRestart, ARestartedTrackerHasLostItsOutputs) {
  FifoHarness h;
  h.start(after_crash(99));
  h.add_tracker("tt1");  // another incarnation
  h.advance(6000);
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m0 J7/m1 J7/r0");  // slow-start, once met, stays met
}

TEST(EngineRestart, RunningAttemptsGoOn) {
  FifoHarness h;
  h.start(after_crash(1));
  h.add_tracker("tt1");
  AttemptReport running;
  running.attempt = {{JobId(7), TaskKind::kReduce, 0}, 3};
  h.tracker("tt1").held.emplace(running.attempt, running);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_TRUE(h.tracker("tt1").last.kill.empty());
  EXPECT_EQ(h.running("default", TaskKind::kReduce), 1);
  h.advance(6000);
  h.finish("J7/r0");
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_EQ(h.state_of(7), JobState::kSucceeded);
}

TEST(EngineRestart, AnAcknowledgedKillIsNotUndone) {
  Snapshot snapshot = after_crash(1);
  snapshot.jobs[0].kill_requested = true;
  FifoHarness h;
  h.start(snapshot);
  h.step(Tick{});
  EXPECT_EQ(h.state_of(7), JobState::kKilled);
  EXPECT_EQ(h.events<JobStateChanged>().back().state,
            JobState::kKilled);  // and the store hears of it
}

TEST(EngineRestart, ASettingsFileThatForgetsAQueueWithJobsIsRefused) {
  FifoHarness h;
  h.add_queue(queue("other"));
  auto engine =
      Engine::create(std::make_shared<Settings>(h.settings()), fifo_only(), after_crash(1), 0);
  ASSERT_FALSE(engine.ok());
  EXPECT_THAT(engine.error().message, testing::HasSubstr("job_0007 in queue default"));
}

}  // namespace
}  // namespace weir::test
