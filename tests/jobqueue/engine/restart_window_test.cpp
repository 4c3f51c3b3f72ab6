// After a restart: how long nothing is launched, and what ended jobs are still owed.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

JobSnapshot stored_job(JobState state) {
  JobSnapshot job;
  job.job = JobId(7);
  auto spec = std::make_shared<JobSpec>();
  spec->name = "old";
  spec->user = "ann";
  spec->queue = "default";
  spec->output = "/out7";
  spec->splits.resize(4);
  spec->reduces = 0;
  job.spec = spec;
  job.queue = "default";
  job.submitted_at = 500;
  job.finished_at = is_over(state) ? 900 : 0;
  job.state = state;
  return job;
}

Snapshot snapshot_with(JobState state) {
  Snapshot snapshot;
  snapshot.epoch = 2;
  snapshot.next_job = 8;
  snapshot.trackers = {{"tt1", Resources{{2, 0, 0, 0}}}, {"tt2", Resources{{2, 0, 0, 0}}}};
  snapshot.jobs = {stored_job(state)};
  return snapshot;
}

TEST(RestartWindow, EndsWhenEveryKnownTrackerHasReported) {
  FifoHarness h;
  h.start(snapshot_with(JobState::kRunning));
  h.add_tracker("tt1", {.map_slots = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.add_tracker("tt2", {.map_slots = 2});
  EXPECT_EQ(h.heartbeat("tt2"), "J7/m0 J7/m1");  // it was the last one
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m2 J7/m3");
}

TEST(RestartWindow, WhatRanIsNotSaidToRunFromNowOn) {
  for (const JobState before : {JobState::kRunning, JobState::kWaiting}) {
    FifoHarness h;
    h.start(snapshot_with(before));
    h.add_tracker("tt1", {.map_slots = 2});
    EXPECT_EQ(h.events<JobStateChanged>().size(), before == JobState::kWaiting ? 1u : 0u);
    EXPECT_EQ(h.state().job(JobId(7)).state, JobState::kRunning);
  }
}

// It counted no more, perhaps because it was draining: what it still runs is waited for all the
// same.
TEST(RestartWindow, WaitsForATrackerThatOnlyDidSomething) {
  Snapshot snapshot = snapshot_with(JobState::kRunning);
  snapshot.trackers = {{"tt1", Resources{{2, 0, 0, 0}}}};
  snapshot.jobs[0].done = {{TaskKind::kMap, 0, 1, "tt2", 1, nullptr}};
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.add_tracker("tt2", {.map_slots = 0});
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m1 J7/m2");
}

// Maps were lost before the restart, after the slow-start had been reached: that was for good.
TEST(RestartWindow, AReduceThatRunsShowsThatReducesMayStart) {
  Snapshot snapshot = snapshot_with(JobState::kRunning);
  auto spec = std::make_shared<JobSpec>(*snapshot.jobs[0].spec);
  spec->reduces = 1;
  spec->slowstart_millionths = 1'000'000;
  snapshot.jobs[0].spec = spec;
  snapshot.trackers = {{"tt1", Resources{{0, 1, 0, 0}}}};
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  const AttemptKey reduce{{JobId(std::uint32_t{7}), TaskKind::kReduce, 0}, 0};
  h.tracker("tt1").held[reduce] = {.attempt = reduce, .state = ReportedState::kRunning};
  h.heartbeat("tt1");
  EXPECT_EQ(h.state().job(reduce.task.job).tasks(TaskKind::kReduce).running, 1);
  h.fail("J7/r0");
  EXPECT_EQ(h.settle("tt1"), "J7/r0");
}

TEST(RestartWindow, EndsInAnyCase) {
  FifoHarness h;
  h.start(snapshot_with(JobState::kRunning));
  h.add_tracker("tt1", {.map_slots = 2});
  h.advance(5000);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.advance(1000);
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m0 J7/m1");
}

TEST(RestartWindow, IsWaitedOutWhenNoTrackerIsKnown) {
  Snapshot snapshot = snapshot_with(JobState::kRunning);
  snapshot.trackers.clear();
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.advance(6000);
  EXPECT_EQ(h.heartbeat("tt1"), "J7/m0 J7/m1");
}

TEST(RestartDuties, ACleanUpThatWasOwedIsDoneOnce) {
  Snapshot snapshot = snapshot_with(JobState::kKilled);
  snapshot.trackers = {{"tt1", Resources{{2, 0, 0, 0}}}};
  snapshot.jobs[0].cleanup = true;
  JobRecord record;
  record.job = JobId(7);
  record.started_at = 600;
  record.tasks[0] = {4, 2, 1, 0};
  record.counters = {{"mine", {{"lines", 3}}}};
  snapshot.jobs[0].record = std::make_shared<const JobRecord>(record);
  FifoHarness h;
  h.start(snapshot);
  // What still runs is told to die before anybody removes its files.
  h.add_tracker("tt1", {.map_slots = 2});
  AttemptReport running;
  running.attempt = {{JobId(7), TaskKind::kMap, 3}, 2};
  h.tracker("tt1").held.emplace(running.attempt, running);
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.kill.size(), 1u);
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  EXPECT_FALSE(h.tracker("tt1").last.duties[0].succeed);
  EXPECT_EQ(h.tracker("tt1").last.duties[0].output, "/out7");
  h.heartbeat("tt1");
  EXPECT_TRUE(h.tracker("tt1").last.duties.empty());
  const auto done = h.events<JobCleanedUp>();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].record->counters, record.counters);
  EXPECT_EQ(done[0].record->tasks[0], record.tasks[0]);
  EXPECT_EQ(done[0].record->started_at, 600);
}

// It may have run before a limit made it wait, and nothing in the store says so.
TEST(RestartDuties, AJobThatWaitedIsCleanedUpWhenItIsKilled) {
  Snapshot snapshot = snapshot_with(JobState::kWaiting);
  snapshot.trackers.resize(1);
  FifoHarness h;
  h.start(snapshot);
  h.step(KillJob{{"root", {}}, JobId(7)});
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  EXPECT_FALSE(h.tracker("tt1").last.duties[0].succeed);
}

TEST(RestartDuties, WhatWasCleanedUpIsNot) {
  FifoHarness h;
  h.start(snapshot_with(JobState::kFailed));
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  EXPECT_TRUE(h.tracker("tt1").last.duties.empty());
}

TEST(JobEnds, CarryTheirRecordsAndOweCleanUpsOnlyIfSomethingRan) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 2, .name = "runs"});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.step(KillJob{{"user", {}}, JobId(2)});
  auto ends = h.events<JobStateChanged>();
  std::erase_if(ends, [](const auto& change) { return !is_over(change.state); });
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_TRUE(ends[0].cleanup);
  EXPECT_FALSE(ends[1].cleanup);
  EXPECT_EQ(ends[0].record->name, "runs");
  EXPECT_EQ(ends[0].record->state, JobState::kKilled);
  EXPECT_EQ(ends[0].record->tasks[0].total, 2u);
  EXPECT_EQ(ends[0].record->tasks[0].killed_attempts, 0u);  // its task is only told to die
  h.settle("tt1");
  const auto cleaned = h.events<JobCleanedUp>();
  ASSERT_EQ(cleaned.size(), 1u);
  EXPECT_EQ(cleaned[0].record->tasks[0].killed_attempts, 1u);
}

TEST(JobEnds, FinishedJobsAreForgottenWhenThereAreTooMany) {
  FifoHarness h;
  h.settings().finished_jobs_at_most = 2;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    h.submit({.maps = 1});
    h.step(KillJob{{"user", {}}, JobId(i)});
  }
  h.advance(1000);
  EXPECT_EQ(h.state().find_job(JobId(2)), nullptr);
  EXPECT_NE(h.state().find_job(JobId(3)), nullptr);
}

// A tracker that kills whatever it is given costs the job no attempt, and yet comes to an end.
TEST(KilledAttempts, AreBoundedByTheNumbersThatThereAre) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  for (std::uint32_t i = 0; i < kAttemptsPerEpoch && h.state_of(1) == JobState::kRunning; ++i) {
    h.heartbeat("tt1");
    for (auto& [key, attempt] : h.tracker("tt1").held) attempt.state = ReportedState::kKilled;
  }
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kFailed);
  EXPECT_THAT(h.state().job(JobId(1)).diagnostics, testing::HasSubstr("was started 9999 times"));
  for (const AttemptLaunched& launch : h.events<AttemptLaunched>())
    EXPECT_LT(launch.attempt.attempt, kAttemptsPerEpoch);
}

// One that does not wait for acknowledgements leaves no list of them behind.
TEST(KilledAttempts, EndsThatATrackerGivesUpAreForgotten) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.maps = 4000, .reduces = 1, .slowstart_millionths = 1'000'000});
  for (int i = 0; i < 1000; ++i) {
    h.heartbeat("tt1");
    auto& held = h.tracker("tt1").held;
    std::erase_if(held, [](const auto& a) { return a.second.state == ReportedState::kSucceeded; });
    for (auto& [key, attempt] : held) attempt.state = ReportedState::kSucceeded;
  }
  EXPECT_GT(h.state().job(JobId(1)).tasks(TaskKind::kMap).succeeded, 3000u);
  EXPECT_LT(h.state().find_tracker("tt1")->unacknowledged.size(), 1'100u);
}

}  // namespace
}  // namespace weir::test
