// The life of jobs: submit, run, fail, kill, wait, move, end.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"
#include "support/stored_snapshot.h"

namespace weir::test {
namespace {

using testing::HasSubstr;

TEST(EngineJob, RunsMapsThenReducesThenPublishes) {
  FifoHarness h;
  h.add_tracker("tt1");
  ASSERT_EQ(h.submit({.maps = 3, .reduces = 1, .slowstart_millionths = 1000000}), 1u);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.finish("J1/m0");
  h.finish("J1/m1");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
  h.finish("J1/m2");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/r0");
  h.finish("J1/r0");
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_TRUE(h.tracker("tt1").held.empty());
  EXPECT_TRUE(h.tracker("tt1").last.duties.empty());
  EXPECT_EQ(h.running("default"), 0);
}

TEST(EngineJob, MapOnlyJobsCommitTheirMaps) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  h.finish_all("tt1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.commit.size(), 2u);
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(EngineJob, SlowStartHoldsReducesBack) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 20, .reduces = 2, .slowstart_millionths = 50000});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  EXPECT_THAT(h.engine().explain(JobId(1)),
              testing::Contains(testing::Field(&Reason::code, "slow_start")));
  h.finish("J1/m0");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2 J1/r0 J1/r1");
}

TEST(EngineJob, FourFailuresOfATaskFailTheJobAndRetriesGoElsewhereFirst) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.add_tracker("tt2", {.map_slots = 1});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.fail("J1/m0");
  EXPECT_EQ(h.heartbeat("tt1"), "");  // it failed here, and tt2 could take it
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
  h.fail("J1/m0", "mapper exited with status 3");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");  // failed everywhere: anywhere will do
  h.fail("J1/m0");
  h.heartbeat("tt2");
  EXPECT_EQ(h.settle("tt2", 1), "");
  h.heartbeat("tt1");
  h.fail("J1/m0", "mapper exited with status 3");
  h.settle("tt1");
  h.settle("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kFailed);
  EXPECT_THAT(h.state().job(JobId(1)).diagnostics, HasSubstr("task_0001_m_000000 failed 4 times"));
  EXPECT_THAT(h.state().job(JobId(1)).diagnostics, HasSubstr("exited with status 3"));
}

TEST(EngineJob, AKilledAttemptNeverCountsAsFailed) {
  FifoHarness h;
  h.submit({.maps = 1});
  h.add_tracker("tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  for (int life = 0; life < 7; ++life) {
    h.heartbeat("tt1");
    h.tracker("tt1").held.clear();  // the tracker says no more of it
    EXPECT_EQ(h.heartbeat("tt1"), "J1/m0") << life;
  }
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).killed_attempts, 7u);
  EXPECT_EQ(stored_snapshot(h.log).jobs.at(0).killed.at(0).count, 7u);
}

TEST(EngineJob, KillEndsItAndItsAttempts) {
  FifoHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 5});
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
  EXPECT_EQ(h.running("default"), 0);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.tracker("tt1").last.kill.size(), 2u);
  EXPECT_TRUE(h.tracker("tt1").last.duties.empty());  // not while attempts may still write
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  EXPECT_FALSE(h.tracker("tt1").last.duties[0].succeed);
  h.settle("tt1");
  EXPECT_TRUE(h.tracker("tt1").held.empty());
  const auto again = h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_EQ(std::get<Error>(again.at(0).body).code, ErrorCode::kJobOver);
}

TEST(EngineJob, PriorityDecidesAmongPendingJobs) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  h.submit({.maps = 1, .priority = Priority::kHigh});
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
  h.submit({.maps = 1});
  h.step(SetPriority{{"user", {}}, JobId(3), Priority::kVeryHigh});
  h.finish("J2/m0");
  EXPECT_EQ(h.settle("tt1"), "J3/m0");
}

TEST(EngineJob, RunningJobLimitsLetJobsWaitAndSayWhy) {
  FifoHarness h;
  QueueSettings limited = queue("default");
  limited.max_running_jobs = 1;
  h.add_queue(limited);
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.submit({.maps = 1});
  EXPECT_EQ(h.state_of(2), JobState::kWaiting);
  const auto reasons = h.engine().explain(JobId(2));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_THAT(reasons[0].message, HasSubstr("runs 1 of at most 1 jobs"));
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.finish("J1/m0");
  EXPECT_EQ(h.settle("tt1"), "J2/m0");
}

TEST(EngineJob, AJobThatLacksNothingButASlotSaysSo) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2});
  h.submit({.maps = 5});
  h.heartbeat("tt1");
  const auto reasons = h.engine().explain(JobId(1));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "no_free_slot");
  EXPECT_EQ(reasons[0].message,
            "3 maps wait for a free slot; 2 of the cluster's 2 map slots are running tasks");
}

// Free slots of a tracker that does not report are no help, and a drained one's count nowhere.
TEST(EngineJob, AJobThatLacksASlotSaysWhichTrackersDoNotReport) {
  FifoHarness h;
  for (const char* tracker : {"tt1", "tt2", "tt3"}) h.add_tracker(tracker, {.map_slots = 2});
  h.submit({.maps = 9});
  h.heartbeat("tt1");
  h.heartbeat("tt3");
  h.step(OrderTrackers{{"root", {}}, {"tt3"}, TrackerOrder::kDrain, ""});
  for (int i = 0; i <= kSilentIntervals; ++i) {
    h.advance(h.state().heartbeat_interval_ms());
    h.heartbeat("tt1");
    h.heartbeat("tt3");
  }
  EXPECT_EQ(h.engine().explain(JobId(1))[0].message,
            "5 maps wait for a free slot; 2 of the cluster's 4 map slots are running tasks, 2 are "
            "of trackers that do not report (tt2)");
}

TEST(EngineJob, AJobThatLacksASlotSaysWhichFreeOnesAreNotForIt) {
  FifoHarness h;
  for (const char* tracker : {"tt1", "tt2"}) h.add_tracker(tracker, {.map_slots = 2});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.submit({.maps = 2});
  EXPECT_EQ(h.heartbeat("tt2"), "J2/m0 J2/m1");
  h.fail("J1/m0");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.engine().explain(JobId(1))[0].message,
            "1 map waits for a free slot; 2 of the cluster's 4 map slots are running tasks, 2 are "
            "free where it is not to run (it failed there)");
}

TEST(EngineJob, AJobWhoseTasksAreOnASilentTrackerSaysSo) {
  FifoHarness h;
  for (const char* tracker : {"tt1", "tt2"}) h.add_tracker(tracker, {.map_slots = 1});
  h.submit({.maps = 2});
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  EXPECT_THAT(h.engine().explain(JobId(1)), testing::IsEmpty());
  for (int i = 0; i <= kSilentIntervals; ++i) {
    h.advance(h.state().heartbeat_interval_ms());
    h.heartbeat("tt2");
  }
  const auto reasons = h.engine().explain(JobId(1));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].code, "silent_trackers");
  EXPECT_THAT(reasons[0].message,
              testing::AllOf(HasSubstr("1 running task is on tt1, not heard of for "),
                             HasSubstr("after 10m, or by `weir tracker lost tt1`")));
}

TEST(EngineJob, MovesCarryRunningTasksAlong) {
  FifoHarness h;
  h.add_queue(queue("a")).add_queue(queue("b"));
  h.add_tracker("tt1");
  h.submit({.queue = "a", .maps = 4});
  h.heartbeat("tt1");
  EXPECT_EQ(h.running("a"), 2);
  h.step(MoveJob{{"user", {}}, JobId(1), "b"});
  EXPECT_EQ(h.running("a"), 0);
  EXPECT_EQ(h.running("b"), 2);
  h.finish_all("tt1");
  EXPECT_EQ(h.settle("tt1"), "J1/m2 J1/m3");
  EXPECT_EQ(h.running("b"), 2);
}

TEST(EngineJob, NearMapsFirst) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .rack = "r1"});
  h.add_tracker("tt2", {.map_slots = 2, .rack = "r1"});
  h.add_tracker("tt3", {.map_slots = 1, .rack = "r2"});
  h.submit({.maps = 4, .locations = {{"tt3"}, {"host-tt1"}, {"tt1"}, {"tt3"}}});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m1");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m2 J1/m0");
  EXPECT_EQ(h.heartbeat("tt3"), "J1/m3");
  const auto launches = h.events<AttemptLaunched>();
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].locality, Locality::kNode);
  EXPECT_EQ(launches[1].locality, Locality::kRack);
  EXPECT_EQ(launches[2].locality, Locality::kAny);
  EXPECT_EQ(launches[3].locality, Locality::kNode);
}

TEST(EngineJob, OldFinishedJobsAreForgotten) {
  FifoHarness h;
  h.settings().finished_jobs_kept_ms = 60000;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.settle("tt1");
  h.advance(59999);
  EXPECT_NE(h.state().find_job(JobId(1)), nullptr);
  h.advance(1);
  EXPECT_EQ(h.state().find_job(JobId(1)), nullptr);
}

}  // namespace
}  // namespace weir::test
