// Nobody acts on a job's end before it is on disk, and nobody is believed who says more than was
// granted: a JobTracker that dies in between would come back knowing otherwise.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// J1 has been killed, and the kill is on disk; the job's end is only on its way there.
void kill_first_job(FifoHarness& h) {
  h.durable_at_once = false;
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.step(Durable{h.engine().last_seq()});
  ASSERT_EQ(h.state_of(1), JobState::kKilled);
  ASSERT_GT(h.engine().last_seq(), h.engine().durable_seq());
}

TEST(DurableEnd, FilesOfAJobAreDroppedOnlyWhenItsEndIsDurable) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 2, .reduces = 1, .slowstart_millionths = 1'000'000});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.settle("tt1");
  h.tracker("tt1").held_jobs = {JobId(1)};
  kill_first_job(h);
  h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.drop_jobs, IsEmpty());
  h.step(StoreFailed{h.engine().last_seq(), "disk full"});  // the end is tried again
  h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.drop_jobs, IsEmpty());
  h.step(Durable{h.engine().last_seq()});
  h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.drop_jobs, ElementsAre(JobId(1)));
}

// The reply that waits for another job's grant is composed as late as it leaves.
TEST(DurableEnd, AParkedReplyDropsWhatIsDurableByThen) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.tracker("tt1").held_jobs = {JobId(2)};
  h.durable_at_once = false;
  h.step(KillJob{{"user", {}}, JobId(2)});
  h.finish("J1/m0");
  h.heartbeat("tt1");  // asks to commit: the reply waits for the grant
  const std::uint64_t granted = h.engine().last_seq();
  const auto first = h.step(Durable{granted});
  ASSERT_EQ(h.state_of(2), JobState::kKilled);
  ASSERT_EQ(first.size(), 2u);  // of the kill, and of the heartbeat
  EXPECT_THAT(std::get<HeartbeatReply>(first[1].body).drop_jobs, IsEmpty());
  h.step(Durable{h.engine().last_seq()});
  h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.drop_jobs, ElementsAre(JobId(2)));
}

TEST(DurableEnd, AJobIsForgottenOnlyWhenItsEndIsDurable) {
  FifoHarness h;
  h.settings().finished_jobs_kept_ms = 1'000;
  h.submit({.maps = 1});
  kill_first_job(h);
  h.advance(2'000);
  EXPECT_NE(h.state().find_job(JobId(1)), nullptr);
  h.step(Durable{h.engine().last_seq()});
  h.advance(1'000);
  EXPECT_EQ(h.state().find_job(JobId(1)), nullptr);
}

TEST(DurableEnd, AndNotBecauseThereAreTooManyEither) {
  FifoHarness h;
  h.settings().finished_jobs_at_most = 1;
  for (int i = 0; i < 3; ++i) h.submit({.maps = 1});
  kill_first_job(h);
  for (const std::uint32_t id : {2u, 3u}) h.step(KillJob{{"user", {}}, JobId(id)});
  h.step(Durable{h.engine().last_seq()});  // the kills, and the first end
  ASSERT_EQ(h.state_of(3), JobState::kKilled);
  h.advance(1'000);
  EXPECT_EQ(h.state().find_job(JobId(1)), nullptr);
  EXPECT_NE(h.state().find_job(JobId(2)), nullptr);
  EXPECT_NE(h.state().find_job(JobId(3)), nullptr);
}

// --- After a restart ---

// A job of four maps that publish, on two trackers.
Snapshot stored(JobState state) {
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->queue = "default";
  spec->output = "/out7";
  spec->splits.resize(4);
  spec->reduces = 0;
  spec->max_attempts = 1;
  JobSnapshot job;
  job.job = JobId(7);
  job.spec = spec;
  job.queue = "default";
  job.finished_at = is_over(state) ? 900 : 0;
  job.state = state;
  Snapshot snapshot;
  snapshot.epoch = 2;
  snapshot.next_job = 8;
  snapshot.trackers = {{"tt1", Resources{{2, 0, 0, 0}}}, {"tt2", Resources{{2, 0, 0, 0}}}};
  snapshot.jobs = {job};
  return snapshot;
}

AttemptKey map_of_7(std::uint32_t map, std::uint32_t attempt) {
  return {{JobId(7), TaskKind::kMap, map}, attempt};
}

void report_success(FifoHarness& h, const AttemptKey& attempt) {
  h.tracker("tt1").held[attempt] = {.attempt = attempt, .state = ReportedState::kSucceeded};
  h.heartbeat("tt1");
}

void expect_not_counted(FifoHarness& h) {
  EXPECT_EQ(h.state_of(7), JobState::kRunning);  // it may fail no attempt
  EXPECT_EQ(h.state().job(JobId(7)).tasks(TaskKind::kMap).succeeded, 0u);
  EXPECT_EQ(h.state().job(JobId(7)).tasks(TaskKind::kMap).failed_attempts, 0u);
  EXPECT_THAT(h.events<AttemptLaunched>(), IsEmpty());
  EXPECT_EQ(h.tracker("tt1").last.acknowledged.size(), 1u);  // its tracker may forget it
}

TEST(DurableGrant, ASuccessThatWasGrantedToNobodyIsNotTakenOn) {
  FifoHarness h;
  h.start(stored(JobState::kRunning));
  h.add_tracker("tt1", {.map_slots = 2});
  report_success(h, map_of_7(3, 2));
  expect_not_counted(h);
  h.add_tracker("tt2", {.map_slots = 4});
  EXPECT_EQ(h.heartbeat("tt2"), "J7/m0 J7/m1 J7/m2 J7/m3");
}

TEST(DurableGrant, NorOneThatWasGrantedToAnotherAttempt) {
  Snapshot snapshot = stored(JobState::kRunning);
  snapshot.jobs[0].commits = {{map_of_7(3, 1), "tt2"}};
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 2});
  report_success(h, map_of_7(3, 2));
  expect_not_counted(h);
}

TEST(DurableGrant, TheOneThatWasGrantedCounts) {
  Snapshot snapshot = stored(JobState::kRunning);
  snapshot.jobs[0].commits = {{map_of_7(3, 2), "tt1"}};
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 2});
  report_success(h, map_of_7(3, 2));
  EXPECT_EQ(h.state().job(JobId(7)).tasks(TaskKind::kMap).succeeded, 1u);
}

// What tt2 still runs of the killed job has to be told to die before anybody removes its files.
TEST(DurableDuty, IsGivenWhenAllThatRunsIsKnown) {
  Snapshot snapshot = stored(JobState::kKilled);
  snapshot.jobs[0].cleanup = true;
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1");
  h.add_tracker("tt2");
  for (int i = 0; i < 3; ++i) h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.duties, IsEmpty());
  const AttemptKey runs = map_of_7(0, 1);
  h.tracker("tt2").held[runs] = {.attempt = runs, .state = ReportedState::kRunning};
  h.heartbeat("tt2");
  EXPECT_THAT(h.tracker("tt2").last.kill, ElementsAre(runs));
  ASSERT_EQ(h.tracker("tt2").last.duties.size(), 1u);
  EXPECT_EQ(h.tracker("tt2").last.duties[0].job, JobId(7));
  EXPECT_FALSE(h.tracker("tt2").last.duties[0].succeed);
}

TEST(DurableDuty, IsGivenAfterTheWindowIfATrackerStaysAway) {
  Snapshot snapshot = stored(JobState::kKilled);
  snapshot.jobs[0].cleanup = true;
  FifoHarness h;
  h.start(snapshot);
  h.add_tracker("tt1");
  h.advance(5'000);
  h.heartbeat("tt1");
  EXPECT_THAT(h.tracker("tt1").last.duties, IsEmpty());
  h.advance(1'000);
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.duties.size(), 1u);
}

}  // namespace
}  // namespace weir::test
