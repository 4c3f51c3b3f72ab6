#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Caller kUser{"user", {}};

Snapshot stored(const JobSpec& spec, JobState state) {
  Snapshot snapshot;
  snapshot.epoch = 2;
  snapshot.next_job = 2;
  JobSnapshot job;
  job.job = JobId(1);
  job.spec = std::make_shared<JobSpec>(spec);
  job.queue = "default";
  job.state = state;
  snapshot.jobs = {job};
  return snapshot;
}

JobSpec one_map() {
  JobSpec spec;
  spec.user = "user";
  spec.output = "/out";
  spec.splits.resize(1);
  spec.reduces = 0;
  return spec;
}

TEST(EngineHolds, AHeldJobStartsNothingUntilItIsReleased) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.hold = true});
  h.submit({});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
  EXPECT_EQ(h.state_of(1), JobState::kWaiting);
  const auto why = h.engine().explain(JobId(1));
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(why[0].code, "held");
  EXPECT_EQ(why[0].message, "held by user; `weir job release job_0001` lets it start");
  h.step(ReleaseJob{kUser, JobId(1)});
  ASSERT_EQ(h.events<JobReleased>().size(), 1u);
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
}

TEST(EngineHolds, OnlyAHeldJobCanBeReleasedAndByWhoMayChangeIt) {
  FifoHarness h;
  h.settings().administrators = {"root"};
  const auto refusal = [&](const Caller& caller, std::uint32_t job) {
    const auto replies = h.step(ReleaseJob{caller, JobId(job)});
    const auto* error = replies.empty() ? nullptr : std::get_if<Error>(&replies[0].body);
    return error == nullptr ? std::string() : error->message;
  };
  h.submit({.hold = true});
  h.submit({});
  EXPECT_THAT(refusal(kUser, 9), HasSubstr("there is no job_0009"));
  EXPECT_THAT(refusal(kUser, 2), HasSubstr("job_0002 is not held"));
  EXPECT_THAT(refusal({"mallory", {}}, 1), HasSubstr("may not change job_0001"));
  EXPECT_EQ(refusal({"root", {}}, 1), "");
  EXPECT_THAT(refusal(kUser, 1), HasSubstr("job_0001 is not held"));
  h.step(KillJob{kUser, JobId(1)});
  EXPECT_THAT(refusal(kUser, 1), HasSubstr("has already ended (KILLED)"));
}

TEST(EngineHolds, AHeldJobCountsAmongTheJobsButStandsInNobodysWay) {
  FifoHarness h;
  QueueSettings limited = queue("default");
  limited.max_jobs = 3;
  limited.max_running_jobs = 1;
  limited.max_running_jobs_per_user = 1;
  h.add_queue(limited);
  h.add_queue(queue("other"));
  h.submit({.priority = Priority::kVeryHigh, .hold = true});
  h.submit({});
  h.submit({});
  EXPECT_EQ(h.submit({}), 0u);
  EXPECT_THAT(h.error.message, HasSubstr("max_jobs is reached: 3 of 3"));
  EXPECT_EQ(h.state_of(2), JobState::kRunning);
  // It takes its place in the order when it is released: the most urgent one.
  h.step(SetPriority{kUser, JobId(1), Priority::kHigh});
  h.step(MoveJob{kUser, JobId(1), "other"});
  h.step(MoveJob{kUser, JobId(1), "default"});
  EXPECT_EQ(h.state_of(1), JobState::kWaiting);
  h.step(ReleaseJob{kUser, JobId(1)});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.state_of(2), JobState::kWaiting);
}

TEST(EngineHolds, AHeldJobCanBeKilledAndARefusedReleaseLeavesItHeld) {
  FifoHarness h;
  h.submit({.hold = true});
  h.durable_at_once = false;
  h.step(ReleaseJob{kUser, JobId(1)});
  EXPECT_TRUE(h.state().job(JobId(1)).held);  // not before it is on disk
  h.step(StoreFailed{h.engine().last_seq(), "disk full"});
  EXPECT_TRUE(h.state().job(JobId(1)).held);
  h.durable_at_once = true;
  h.step(KillJob{kUser, JobId(1)});
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
}

TEST(EngineHolds, RestartsKeepHoldsAndReleases) {
  JobSpec spec = one_map();
  spec.hold = true;
  FifoHarness held;
  held.start(stored(spec, JobState::kWaiting));
  EXPECT_TRUE(held.state().job(JobId(1)).held);
  EXPECT_EQ(held.state_of(1), JobState::kWaiting);
  Snapshot released = stored(spec, JobState::kWaiting);
  released.jobs[0].released = true;
  FifoHarness free;
  free.start(released);
  EXPECT_EQ(free.state_of(1), JobState::kRunning);
}

TEST(EngineTimeLimit, RunsFromTheFirstLaunchAndKillsWithItsReason) {
  FifoHarness h;
  h.submit({.maps = 3, .time_limit_ms = 7'200'000});
  h.advance(10'000'000);  // it waits for a tracker, which costs it nothing
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  ASSERT_EQ(h.events<JobDeadlineSet>().size(), 1u);
  EXPECT_EQ(h.events<JobDeadlineSet>()[0].deadline, h.now + 7'200'000);
  h.finish("J1/m0");
  h.settle("tt1");
  h.now += 7'199'999;
  h.heartbeat("tt1");
  h.step(Tick{});
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.events<JobDeadlineSet>().size(), 1u);
  h.now += 1;
  h.step(Tick{});
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
  EXPECT_EQ(h.state().job(JobId(1)).diagnostics,
            "killed at its time limit, 2h after its first task started");
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.kill.size(), 2u);
}

TEST(EngineTimeLimit, AJobThatIsDoneInTimeOrPublishingIsLeftAlone) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.time_limit_ms = 1'500});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  h.advance(5'000);
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(EngineTimeLimit, ARestartKeepsTheDeadline) {
  JobSpec spec = one_map();
  spec.time_limit_ms = 60'000;
  Snapshot snapshot = stored(spec, JobState::kRunning);
  snapshot.last_time = 50'000;
  snapshot.jobs[0].deadline = 65'000;
  FifoHarness h;
  h.now = 50'000;
  h.start(snapshot);
  h.advance(14'000);
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  h.advance(2'000);
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
  EXPECT_THAT(h.state().job(JobId(1)).diagnostics, HasSubstr("1m after its first task"));
}

TEST(EngineTimeLimit, AnAttemptFoundRunningAfterARestartSetsADeadlineThatWasLost) {
  JobSpec spec = one_map();
  spec.time_limit_ms = 60'000;
  FifoHarness h;
  h.start(stored(spec, JobState::kRunning));
  h.add_tracker("tt1");
  AttemptReport running;
  running.attempt = {{JobId(1), TaskKind::kMap, 0}, 3};
  h.tracker("tt1").held.emplace(running.attempt, running);
  EXPECT_THAT(h.events<JobDeadlineSet>(), IsEmpty());
  h.heartbeat("tt1");
  ASSERT_EQ(h.events<JobDeadlineSet>().size(), 1u);
  EXPECT_EQ(h.state().job(JobId(1)).deadline, h.now + 60'000);
}

}  // namespace
}  // namespace weir::test
