// What readers see of jobs, of their records, and of trackers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fifo_harness.h"
#include "tracker/published/render.h"

namespace weir::test {
namespace {

struct RenderHarness : FifoHarness {
  WallClock wall;
  JobView job(std::uint32_t number) {
    return render_job(engine(), state().job(JobId(number)), wall);
  }
  TrackerView tracker(std::size_t place) {
    return render_tracker(engine(), state().trackers()[place], wall).view;
  }
};

TEST(RenderJobs, AJobIsPendingUntilATaskHasStarted) {
  RenderHarness h;
  h.submit({.maps = 4});
  EXPECT_EQ(h.job(1).state, "PENDING");
  EXPECT_EQ(h.job(1).maps.pending, 4);
  EXPECT_FALSE(h.job(1).started_at_ms.has_value());
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.heartbeat("tt1");
  EXPECT_EQ(h.job(1).state, "RUNNING");
  EXPECT_EQ(h.job(1).maps.running, 2);
  EXPECT_EQ(h.job(1).maps.pending, 2);
  EXPECT_EQ(h.job(1).started_at_ms, h.now);
  h.submit({.maps = 1, .hold = true});
  EXPECT_EQ(h.job(2).state, "HELD");
}

TEST(RenderJobs, ProgressIsOfWhatIsDoneAndOfWhatRuns) {
  RenderHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 4});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.job(1).maps.succeeded, 1);
  EXPECT_EQ(h.job(1).maps.progress_millionths, 250'000);
  for (auto& [key, attempt] : h.Harness::tracker("tt1").held) attempt.progress_millionths = 500'000;
  h.heartbeat("tt1");
  EXPECT_EQ(h.job(1).maps.progress_millionths, 500'000);
}

// A restart forgets it of a job that is over, and later times of the engine are others of the day.
TEST(RenderJobs, ADeadlineIsOfAJobThatMayStillRun) {
  RenderHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 1, .time_limit_ms = 60'000});
  EXPECT_FALSE(h.job(1).deadline_ms.has_value());
  h.heartbeat("tt1");
  EXPECT_EQ(h.job(1).deadline_ms, h.now + 60'000);
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_EQ(h.job(1).time_limit_ms, 60'000);
  EXPECT_FALSE(h.job(1).deadline_ms.has_value());
}

TEST(RenderJobs, AnEndThatIsNotDurableRuns) {
  RenderHarness h;
  h.submit({.maps = 1});
  h.durable_at_once = false;
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.step(Durable{h.engine().last_seq()});  // that it is to be killed
  EXPECT_EQ(h.state_of(1), JobState::kKilled);
  EXPECT_EQ(h.job(1).state, "RUNNING");
  EXPECT_FALSE(h.job(1).finished_at_ms.has_value());
  h.step(Durable{h.engine().last_seq()});
  EXPECT_EQ(h.job(1).state, "KILLED");
  EXPECT_EQ(h.job(1).maps.pending, 0);
  EXPECT_EQ(h.job(1).finished_at_ms, h.now);
}

TEST(RenderJobs, ARecordSaysHowFarItCame) {
  WallClock wall;
  JobRecord record;
  record.job = JobId(7);
  record.state = JobState::kFailed;
  record.tasks[0] = {.total = 4, .succeeded = 1, .failed_attempts = 4, .killed_attempts = 2};
  const JobView failed = render_record(record, wall);
  EXPECT_EQ(failed.state, "FAILED");
  EXPECT_EQ(failed.maps.progress_millionths, 250'000);
  EXPECT_EQ(failed.reduces.progress_millionths, 0);
  EXPECT_EQ(failed.maps.killed_attempts, 2);
  EXPECT_TRUE(failed.from_history);
  EXPECT_FALSE(failed.started_at_ms.has_value());
  record.state = JobState::kSucceeded;
  EXPECT_EQ(render_record(record, wall).reduces.progress_millionths, 1'000'000);
}

TEST(RenderJobs, AnEndedAttemptOfWhichTheStartIsNotKnown) {
  WallClock wall;
  EndedAttempt ended;
  ended.ended_at = 9'000;
  ended.failed = true;
  EXPECT_FALSE(render_attempt(ended, wall).ran_ms.has_value());
  EXPECT_EQ(render_attempt(ended, wall).progress_millionths, 0);
  ended.launched_at = 4'000;
  ended.failed = false;
  EXPECT_EQ(render_attempt(ended, wall).ran_ms, 5'000);
  EXPECT_EQ(render_attempt(ended, wall).state, "SUCCEEDED");
}

TEST(RenderTrackers, ADrainedOneHasNothingLeft) {
  RenderHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 1});
  h.submit({.maps = 1, .reduces = 1, .slowstart_millionths = 1'000'000});
  h.heartbeat("tt1");
  h.step(OrderTrackers{{"root", {}}, {"tt1"}, TrackerOrder::kDrain, "disk"});
  EXPECT_EQ(h.tracker(0).state, "DRAINING");
  EXPECT_EQ(h.tracker(0).order->what, "drain");
  EXPECT_EQ(h.tracker(0).order->reason, "disk");
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.tracker(0).attempts, 0);
  EXPECT_EQ(h.tracker(0).state, "DRAINING");  // its output is still needed
  EXPECT_EQ(h.tracker(0).order->outputs, 1);
  EXPECT_THAT(h.tracker(0).order->outputs_for, ::testing::ElementsAre("job_0001"));
  h.step(KillJob{{"root", {}}, JobId(1)});
  h.settle("tt1");
  EXPECT_EQ(h.tracker(0).state, "DRAINED");
}

TEST(RenderTrackers, WhoseTasksHoldItsSlots) {
  RenderHarness h;
  h.add_queue(queue("a")).add_queue(queue("b"));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "b", .maps = 1, .slots_per_map = 2});
  h.submit({.queue = "a", .maps = 2});
  h.heartbeat("tt1");
  const TrackerSlotsView slots = render_slots(h.engine(), h.state().trackers()[0]);
  ASSERT_EQ(slots.queues.size(), 2u);
  EXPECT_EQ(slots.queues[0].queue, "a");
  EXPECT_EQ(slots.queues[0].maps, 2);
  EXPECT_EQ(slots.queues[1].queue, "b");
  EXPECT_EQ(slots.queues[1].maps, 2);
}

}  // namespace
}  // namespace weir::test
