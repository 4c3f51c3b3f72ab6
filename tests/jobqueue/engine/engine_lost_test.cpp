// What is lost is made again if somebody needs it, by somebody else; what is known is not.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

TEST(EngineLost, TheLastDutyOfALostTrackerIsAnothers) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 0});
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  ASSERT_EQ(h.tracker("tt1").last.duties.size(), 1u);
  h.heartbeat("tt2");
  EXPECT_TRUE(h.tracker("tt2").last.duties.empty());
  h.step(LoseTracker{"tt1"});
  h.heartbeat("tt2");
  ASSERT_EQ(h.tracker("tt2").last.duties.size(), 1u);
  h.heartbeat("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(EngineLost, ATrackerIsListedAsLostAlsoAfterARestart) {
  FifoHarness h;
  h.start({.epoch = 2,
           .lost_trackers = {{"tt1", "was silent for 10m", "node1", "r7", 555}},
           .tracker_orders = {}});
  const TrackerState* lost = h.state().find_tracker("tt1");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->state, TrackerState::State::kLost);
  EXPECT_EQ(lost->lost_why, "was silent for 10m");
  EXPECT_EQ(lost->host, "node1");
  EXPECT_EQ(h.state().rack_name(lost->rack), "r7");
  EXPECT_EQ(lost->last_heartbeat, 555);
  EXPECT_FALSE(h.engine().recovering());  // nobody waits for it
  h.add_tracker("tt1");
  EXPECT_TRUE(h.state().find_tracker("tt1")->live());
  EXPECT_EQ(h.events<TrackerBack>().size(), 1u);
  h.step(LoseTracker{"tt1"});
  const auto told = h.events<TrackerLost>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].tracker, "tt1");
  EXPECT_EQ(told[0].why, "is gone");
  EXPECT_EQ(told[0].host, "host-tt1");
  EXPECT_EQ(told[0].last_heartbeat, h.now);
}

// An order for when it comes back does not make it one that is awaited.
TEST(EngineLost, ALostTrackerWithAnOrderStaysLostAfterARestart) {
  FifoHarness h;
  TrackerOrderSnapshot drain;
  drain.name = "tt1";
  drain.order = TrackerOrder::kDrain;
  drain.by = "ann";
  h.start({.epoch = 2,
           .lost_trackers = {{"tt1", "was silent for 10m", "node1", "r7", 555}},
           .tracker_orders = {drain}});
  const TrackerState* lost = h.state().find_tracker("tt1");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->state, TrackerState::State::kLost);
  EXPECT_EQ(lost->order, TrackerOrder::kDrain);
  EXPECT_EQ(lost->ordered_by, "ann");
  EXPECT_FALSE(h.engine().recovering());
  h.add_tracker("tt1", {.map_slots = 1});
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "");  // it drains
}

// Also while a map runs again that no reduce needs any more.
TEST(EngineLost, OutputsAreNotMadeAgainWhenAllReducesAreDone) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 1});
  h.add_tracker("tt3", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 2, .reduces = 1});
  h.heartbeat("tt1");
  h.heartbeat("tt3");
  h.heartbeat("tt2");
  for (const char* map : {"J1/m0", "J1/m1"}) h.finish(map);
  h.heartbeat("tt1");
  h.heartbeat("tt3");
  h.step(LoseTracker{"tt1"});
  ASSERT_EQ(h.events<TaskReopened>().size(), 1u);
  h.finish("J1/r0");  // it has copied both already
  h.settle("tt2");
  ASSERT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kReduce).succeeded, 1u);
  h.step(LoseTracker{"tt3"});
  EXPECT_EQ(h.events<TaskReopened>().size(), 1u);
}

TEST(EngineLost, CountersOfAMapThatRunsAgainCountOnce) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1, .reduces = 1});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
    AttemptReport& report = h.tracker("tt1").held.begin()->second;
    report.counters = std::make_shared<Counters>(Counters{{"mine", {{"lines", 5 + i}}}});
    h.finish("J1/m0");
    h.heartbeat("tt1");
    EXPECT_EQ(h.state().job(JobId(1)).counters.at("mine").at("lines"), 5);
    h.step(LoseTracker{"tt1"});
    h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  }
}

TEST(EngineLost, OneSecondAttemptAHeartbeat) {
  FifoHarness h;
  for (bool& on : h.settings().speculation.on) on = true;
  h.settings().speculation.after_ms = 1000;
  h.add_tracker("fast", {.map_slots = 4, .reduce_slots = 0});
  h.add_tracker("slow", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 6});
  h.heartbeat("fast");
  h.heartbeat("slow");
  for (const char* map : {"J1/m0", "J1/m1", "J1/m2", "J1/m3"}) h.finish(map);
  h.settle("fast");
  h.advance(1000);
  h.heartbeat("slow");
  EXPECT_EQ(h.heartbeat("fast"), "J1/m4");
  EXPECT_EQ(h.heartbeat("fast"), "J1/m5");
  EXPECT_EQ(h.heartbeat("fast"), "");
}

// --- A restart of the JobTracker ---

JobSnapshot lost_job(std::uint32_t number, JobState state, std::uint32_t reduces = 0) {
  JobSnapshot job;
  job.job = JobId(number);
  auto spec = std::make_shared<JobSpec>();
  spec->name = "old";
  spec->user = "ann";
  spec->queue = "default";
  spec->output = "/out-old" + std::to_string(number);
  spec->splits.resize(1);
  spec->reduces = reduces;
  job.spec = spec;
  job.queue = "default";
  job.state = state;
  return job;
}

// Its tracker has been started again since the map, and is the one that did the reduce.
TEST(EngineLost, AfterARestartAJobWhoseReducesAreDoneNeedsNoOutputs) {
  JobSnapshot job = lost_job(1, JobState::kRunning, 1);
  job.done = {{TaskKind::kMap, 0, 0, "tt1", 1, nullptr},
              {TaskKind::kReduce, 0, 0, "tt1", 2, nullptr}};
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 2;
  snapshot.jobs = {job};
  FifoHarness h;
  h.start(snapshot);
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).succeeded, 1u);
  h.add_tracker("tt1");
  h.advance(60'000);
  EXPECT_EQ(h.settle("tt1"), "");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST(EngineLost, AfterARestartATaskThatFailedIsStillARetry) {
  JobSnapshot job = lost_job(1, JobState::kRunning);
  job.failures = {{TaskKind::kMap, 0, 3}};
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 2;
  snapshot.jobs = {job};
  FifoHarness h;
  h.start(snapshot);
  const TaskGroup& maps = h.state().job(JobId(1)).tasks(TaskKind::kMap);
  EXPECT_TRUE(maps.retries.contains(0));
  EXPECT_TRUE(maps.fresh.empty());
  EXPECT_EQ(maps.failed_attempts, 3u);
  h.add_tracker("tt1");
  h.advance(60'000);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.fail("J1/m0");  // the fourth time
  h.heartbeat("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kFailed);
}

// What it did counts, and nobody waits for it or for what it was granted.
TEST(EngineLost, AfterARestartALostTrackerOfAJobThatGoesOnIsLost) {
  JobSnapshot maps = lost_job(1, JobState::kRunning);
  auto spec = std::make_shared<JobSpec>(*maps.spec);
  spec->splits.resize(3);
  maps.spec = spec;
  maps.done = {{TaskKind::kMap, 0, 0, "tt1", 7, nullptr}};
  maps.commits = {{{{JobId(1), TaskKind::kMap, 1}, 0}, "tt1"}};
  JobSnapshot needed = lost_job(2, JobState::kRunning, 1);
  needed.done = {{TaskKind::kMap, 0, 0, "tt1", 7, nullptr}};
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 3;
  snapshot.jobs = {maps, needed};
  snapshot.lost_trackers = {{"tt1", "was silent for 10m", "node1", "r7", 555}};
  FifoHarness h;
  h.start(snapshot);
  const TrackerState* lost = h.state().find_tracker("tt1");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->state, TrackerState::State::kLost);
  EXPECT_EQ(lost->lost_why, "was silent for 10m");
  EXPECT_EQ(lost->host, "node1");
  EXPECT_EQ(lost->last_heartbeat, 555);
  EXPECT_TRUE(lost->held_commits.empty());
  EXPECT_TRUE(h.events<TrackerLost>().empty());
  const TaskGroup& group = h.state().job(JobId(1)).tasks(TaskKind::kMap);
  EXPECT_EQ(group.succeeded, 1u);
  EXPECT_FALSE(group.tasks[1].commit_granted);
  EXPECT_EQ(h.state().job(JobId(2)).tasks(TaskKind::kMap).succeeded, 0u);
  h.advance(60'000);
  h.add_tracker("tt1");  // it is back
  EXPECT_TRUE(h.state().find_tracker("tt1")->live());
  EXPECT_EQ(h.events<TrackerBack>().size(), 1u);
}

// Its slots counted until then, and somebody has to hear of it.
TEST(EngineLost, AfterARestartATrackerThatDoesNotComeBackIsToldAsLost) {
  Snapshot snapshot{.epoch = 2};
  snapshot.trackers = {{"tt1", {}, {}}};
  snapshot.trackers[0].total.slots(TaskKind::kMap) = 2;
  FifoHarness h;
  h.start(snapshot);
  ASSERT_EQ(h.state().find_tracker("tt1")->state, TrackerState::State::kAwaited);
  EXPECT_EQ(h.state().total().slots(TaskKind::kMap), 2);
  h.advance(h.state().settings().heartbeat.expiry_ms);
  EXPECT_EQ(h.state().find_tracker("tt1")->state, TrackerState::State::kLost);
  const auto told = h.events<TrackerChanged>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].how, TrackerChanged::How::kLost);
  EXPECT_EQ(h.state().total().slots(TaskKind::kMap), 0);
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.events<TrackerChanged>().size(), 1u);  // once
}

// Those that ran have their places, whatever the limit is by now.
TEST(EngineLost, AfterARestartWhatRanRuns) {
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 4;
  snapshot.jobs = {lost_job(1, JobState::kRunning), lost_job(2, JobState::kRunning),
                   lost_job(3, JobState::kWaiting)};
  FifoHarness h;
  QueueSettings one = queue("default");
  one.max_running_jobs = 1;
  h.add_queue(one);
  h.start(snapshot);
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_EQ(h.state_of(2), JobState::kRunning);
  EXPECT_EQ(h.state_of(3), JobState::kWaiting);
}

}  // namespace
}  // namespace weir::test
