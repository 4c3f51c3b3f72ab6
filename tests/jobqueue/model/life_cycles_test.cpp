// The life cycles: a change that is not in a table stops the program, where it is made.
#include "jobqueue/model/life_cycles.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

TEST(LifeCycle, AllowsItsRowsAndToStay) {
  static_assert(life::kTask.allows(life::kOutside, Task::State::kPending));
  static_assert(life::kTask.allows(Task::State::kRunning, Task::State::kPending));
  static_assert(!life::kTask.allows(life::kOutside, Task::State::kRunning));
  static_assert(!life::kAttempt.allows(AttemptState::kDying, AttemptState::kFailed));
  static_assert(life::kAttempt.allows(AttemptState::kDying, AttemptState::kDying));
  static_assert(!life::kJob.allows(JobStage::kHeld, JobStage::kRunning));
}

// A row's two ends may each be several; nothing stands there twice.
TEST(LifeCycle, ListsEachChangeOnce) {
  std::set<std::string> names;
  for (const life::Drawn& cycle : life::all()) {
    EXPECT_TRUE(names.insert(cycle.name).second) << cycle.name;
    std::set<std::pair<std::string, std::string>> changes;
    for (const life::Edge& edge : cycle.edges) {
      EXPECT_TRUE(changes.emplace(edge.from, edge.to).second) << edge.from << " " << edge.to;
      EXPECT_EQ(std::string(edge.when).find_first_of(":;#%"), std::string::npos) << edge.when;
    }
  }
  EXPECT_EQ(names.size(), 7u);
}

class LifeCycleDeathTest : public testing::Test {
 protected:
  LifeCycleDeathTest() {
    h.start();
    h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
    h.submit({});
    h.heartbeat("tt1");
  }
  ClusterState& state() { return const_cast<ClusterState&>(h.state()); }
  Job& job() { return state().mutable_job(JobId(1)); }
  AttemptSlot slot() { return job().tasks(TaskKind::kMap).tasks[0].attempt; }
  Attempt& attempt() { return state().mutable_attempt(slot()); }

  FifoHarness h;
};

TEST_F(LifeCycleDeathTest, AJobThatIsOverStaysSo) {
  state().set_job_state(job(), JobState::kKilled);
  EXPECT_DEATH(state().set_job_state(job(), JobState::kRunning), "job: from KILLED to RUNNING");
}

TEST_F(LifeCycleDeathTest, ARunningJobIsNotForgotten) {
  state().end_attempt(slot(), AttemptState::kKilled);
  EXPECT_DEATH(state().forget_job(JobId(1)), "job: from RUNNING to \\[\\*\\]");
}

TEST_F(LifeCycleDeathTest, ADoneTaskIsNotLaunched) {
  state().mark_succeeded(job(), TaskKind::kMap, 0, 0, TrackerId{});
  EXPECT_DEATH(state().launch({JobId(1), TaskKind::kMap, 0}, 1, TrackerId(0), h.now),
               "task: from SUCCEEDED to RUNNING");
}

TEST_F(LifeCycleDeathTest, WhatDiesDoesNotRunAgain) {
  state().order_kill(attempt(), KillReason::kJobKilled);
  EXPECT_DEATH(state().set_attempt_state(attempt(), AttemptState::kRunning),
               "attempt: from KILLING to RUNNING");
}

TEST_F(LifeCycleDeathTest, AnAttemptWithSlotsCopiesNoMore) {
  EXPECT_DEATH(state().set_copied(attempt()), "copying reduce: from HAS_SLOTS to COPIED");
}

TEST_F(LifeCycleDeathTest, ALostTrackerIsNotAwaited) {
  TrackerState& tracker = state().mutable_tracker(TrackerId(0));
  state().set_tracker_live(tracker, TrackerState::State::kLost);
  EXPECT_DEATH(state().set_tracker_live(tracker, TrackerState::State::kAwaited),
               "tracker: from LOST to AWAITED");
}

TEST_F(LifeCycleDeathTest, NoClaimIsOpenedWhileTheyStandStill) {
  ClaimBook book(2, kTaskKindCount);
  book.pause(1);
  EXPECT_DEATH(book.open(QueueId(1), TaskKind::kMap, 1, 1, 1), "claim: from \\[\\*\\] to PAUSED");
}

TEST_F(LifeCycleDeathTest, ADutyIsNotDoneWhileAttemptsRun) {
  job().duty = Job::Duty::kSucceed;
  job().duty_given = {TrackerId(0)};
  h.tracker("tt1").duties = {{.job = JobId(1), .ok = true}};
  EXPECT_DEATH(h.heartbeat("tt1"), "last duty: from COMPLETE_DUE to \\[\\*\\]");
}

}  // namespace
}  // namespace weir::test
