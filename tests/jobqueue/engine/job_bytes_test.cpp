// What descriptions of jobs hold: counted, bounded, and given back when the jobs are over.
#include "jobqueue/engine/job_bytes.h"

#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSplits = 10'000;

struct JobBytesTest : testing::Test {
  JobBytesTest() {
    h.settings().job_bytes = {.in_all = 3 << 20, .per_user = 2 << 20};
    h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  }
  std::uint32_t submit(const std::string& user, std::uint32_t maps = kSplits) {
    return h.submit({.user = user, .maps = maps});
  }
  std::int64_t held() { return h.engine().job_bytes().in_all(); }
  FifoHarness h;
};

TEST_F(JobBytesTest, AUserHasSoMuchAndAllTogetherSoMuch) {
  EXPECT_EQ(submit("ann"), 1u);
  EXPECT_EQ(submit("ann"), 2u);
  EXPECT_EQ(submit("ann"), 0u);
  EXPECT_EQ(h.error.code, ErrorCode::kLimitReached);
  EXPECT_EQ(h.error.message,
            "limits.user_job_bytes is reached: descriptions of jobs of user ann hold 1.4 MiB, this "
            "job's takes 0.7 MiB, allowed are 2.0 MiB");
  EXPECT_THAT(h.error.hint, HasSubstr("wait for jobs to end"));
  EXPECT_EQ(submit("bob"), 3u);
  EXPECT_EQ(submit("bob"), 4u);
  EXPECT_EQ(submit("cyd"), 0u);
  EXPECT_THAT(h.error.message, HasSubstr("limits.job_bytes is reached: descriptions of jobs hold"));
  EXPECT_EQ(submit("cyd", 10), 5u);
}

TEST_F(JobBytesTest, OneThatIsTooLargeByItselfIsToldSo) {
  EXPECT_EQ(submit("ann", 4 * kSplits), 0u);
  EXPECT_THAT(h.error.hint, HasSubstr("fewer, larger splits"));
  EXPECT_EQ(held(), 0);
}

TEST_F(JobBytesTest, AKilledJobGivesItsBytesBackOnceItsLastAttemptIsGone) {
  submit("ann");
  h.heartbeat("tt1");
  h.step(KillJob{{"ann", {}}, JobId(1)});
  const Job& job = h.state().job(JobId(1));
  EXPECT_EQ(job.spec->splits.size(), std::size_t{kSplits});  // two attempts are dying
  EXPECT_GT(held(), 0);
  h.settle("tt1");
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(h.engine().job_bytes().of("ann"), 0);
  EXPECT_TRUE(job.spec->splits.empty());
  EXPECT_EQ(job.tasks(TaskKind::kMap).tasks.capacity(), 0u);
  EXPECT_EQ(job.spec->tasks(TaskKind::kMap), std::uint32_t{kSplits});
  EXPECT_EQ(job.spec->name, "test");
  EXPECT_EQ(job.spec->output, "/out1");
  EXPECT_EQ(job.tasks(TaskKind::kMap).killed_attempts, 2u);
}

TEST_F(JobBytesTest, ADescriptionStaysUntilTheEndIsDurable) {
  submit("ann");
  h.step(KillJob{{"ann", {}}, JobId(1)});
  EXPECT_EQ(held(), 0);
  submit("ann");
  h.durable_at_once = false;
  h.step(KillJob{{"ann", {}}, JobId(2)});
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.state_of(2), JobState::kKilled);
  EXPECT_GT(held(), 0);
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(held(), 0);
}

TEST_F(JobBytesTest, ASubmissionThatTheStoreRefusedHoldsNothing) {
  h.engine();
  h.durable_at_once = false;
  submit("ann");
  EXPECT_GT(held(), 0);
  h.step(StoreFailed{h.engine().last_seq(), "disk full"});
  EXPECT_EQ(held(), 0);
}

TEST_F(JobBytesTest, ATrackerIsToldThatTheJobIsOver) {
  submit("ann", 1);
  EXPECT_TRUE(std::holds_alternative<JobDescription>(h.step(DescribeJob{JobId(1)})[0].body));
  h.step(KillJob{{"ann", {}}, JobId(1)});
  EXPECT_EQ(std::get<Error>(h.step(DescribeJob{JobId(1)})[0].body).code, ErrorCode::kJobOver);
}

TEST_F(JobBytesTest, WhatARestartBringsBackCountsAndIsNotRefused) {
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->queue = "default";
  spec->output = "/restored";
  spec->splits.resize(10 * kSplits);
  JobSnapshot running;
  running.job = JobId(7);
  running.spec = spec;
  running.queue = "default";
  JobSnapshot ended = running;
  ended.job = JobId(8);
  ended.state = JobState::kKilled;
  FifoHarness restarted;
  restarted.settings().job_bytes = h.settings().job_bytes;
  restarted.start({.epoch = 2, .next_job = 9, .jobs = {running, ended}});
  EXPECT_EQ(restarted.engine().job_bytes().in_all(), bytes_of(*spec));
  EXPECT_TRUE(restarted.state().job(JobId(8)).spec->splits.empty());
  EXPECT_EQ(restarted.submit({.user = "bob"}), 0u);
  EXPECT_EQ(restarted.error.code, ErrorCode::kLimitReached);
}

}  // namespace
}  // namespace weir::test
