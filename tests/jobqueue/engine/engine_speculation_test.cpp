// Speculative attempts: when a task is tried twice, which attempt counts, what becomes of the
// other.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

constexpr DurationMs kAfter = 60'000;

// tt1 is fast and tt2 slow; J1 has a task on tt2 that has fallen behind, and free slots on tt1.
class Speculation : public ::testing::Test {
 protected:
  Speculation() {
    for (bool& on : h.settings().speculation.on) on = true;
    h.add_tracker("tt1", {.map_slots = 2});
    h.add_tracker("tt2", {.map_slots = 1});
  }
  // Of each attempt that the tracker holds.
  void set_progress(const std::string& tracker, std::int32_t millionths) {
    for (auto& [key, attempt] : h.tracker(tracker).held) attempt.progress_millionths = millionths;
  }
  void make_straggler(std::uint32_t reduces = 0) {
    h.submit({.maps = 3, .reduces = reduces, .slowstart_millionths = 1'000'000});
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
    ASSERT_EQ(h.heartbeat("tt2"), "J1/m2");
    h.finish("J1/m0");
    h.finish("J1/m1");
    h.settle("tt1");
    set_progress("tt2", 100'000);
    h.advance(kAfter);
    ASSERT_EQ(h.heartbeat("tt2"), "");
  }
  const TaskGroup& maps() { return h.state().job(JobId(1)).tasks(TaskKind::kMap); }
  std::vector<AttemptLaunched> seconds() {
    auto all = h.events<AttemptLaunched>();
    std::erase_if(all, [](const AttemptLaunched& launch) { return !launch.speculative; });
    return all;
  }
  std::size_t losers() {
    const auto kills = h.events<KillOrdered>();
    return static_cast<std::size_t>(std::count_if(kills.begin(), kills.end(), [](const auto& kill) {
      return kill.reason == KillReason::kSpeculative;
    }));
  }

  FifoHarness h;
};

TEST_F(Speculation, AStragglerIsTriedElsewhereAndTheLoserIsKilled) {
  make_straggler();
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
  EXPECT_EQ(h.running("default"), 2);
  EXPECT_EQ(h.heartbeat("tt1"), "");  // never a third one
  h.tracker("tt1").held.begin()->second.state = ReportedState::kCommitPending;
  h.settle("tt1");
  EXPECT_EQ(maps().succeeded, 3u);
  EXPECT_EQ(losers(), 1u);
  h.settle("tt2");
  h.settle("tt1");
  EXPECT_TRUE(h.tracker("tt2").held.empty());
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_EQ(maps().speculative.launched, 1u);
  EXPECT_EQ(maps().speculative.won, 1u);
  EXPECT_EQ(maps().failed_attempts, 0u);
  EXPECT_EQ(h.running("default"), 0);
}

TEST_F(Speculation, NotBeforeItsTimeNorFromNearby) {
  h.submit({.maps = 3});
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  h.finish("J1/m0");
  h.finish("J1/m1");
  h.settle("tt1");
  set_progress("tt2", 100'000);
  h.advance(kAfter - 1);
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt1"), "");  // it has not run for long enough
  h.advance(1);
  set_progress("tt2", 800'000);  // the average is 933,333
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt1"), "");  // nor is it far enough behind
  set_progress("tt2", 690'000);       // 896,667
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
}

// A task is behind if it is `lag` (200,000) or more below the average: 2 done and one at 700,000
// make 900,000.
TEST_F(Speculation, BehindIsWhoLagsByJustTheLag) {
  const auto tried_again_at = [](std::int32_t progress) {
    FifoHarness h;
    for (bool& on : h.settings().speculation.on) on = true;
    h.settings().speculation.lag_millionths = 200'000;
    h.add_tracker("tt1", {.map_slots = 2});
    h.add_tracker("tt2", {.map_slots = 1});
    h.submit({.maps = 3});
    h.heartbeat("tt1");
    h.heartbeat("tt2");
    h.finish("J1/m0");
    h.finish("J1/m1");
    h.settle("tt1");
    h.tracker("tt2").held.begin()->second.progress_millionths = progress;
    h.advance(kAfter);
    h.heartbeat("tt2");
    const auto explained = h.engine().explain(JobId(1));
    const bool told = std::any_of(explained.begin(), explained.end(), [](const Reason& reason) {
      return reason.code == "stragglers";
    });
    const bool tried = h.heartbeat("tt1") == "J1/m2";
    EXPECT_EQ(tried, told);
    return tried;
  };
  EXPECT_TRUE(tried_again_at(699'999));
  EXPECT_TRUE(tried_again_at(700'000));
  EXPECT_FALSE(tried_again_at(700'001));
}

TEST_F(Speculation, NeverOnTheTrackerThatRunsItAlready) {
  make_straggler();
  h.tracker("tt2").options.map_slots = 2;
  h.connect("tt2");
  EXPECT_EQ(h.heartbeat("tt2"), "");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
}

// Nor where it has failed before.
TEST_F(Speculation, NeverWhereTheTaskHasFailed) {
  h.add_tracker("tt3", {.map_slots = 1});
  h.submit({.maps = 3});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");
  ASSERT_EQ(h.heartbeat("tt3"), "J1/m2");
  h.fail("J1/m2");
  ASSERT_EQ(h.heartbeat("tt3"), "");  // others could take it
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m2");
  h.finish("J1/m0");
  h.finish("J1/m1");
  h.settle("tt1");
  set_progress("tt2", 100'000);
  h.advance(kAfter);
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt3"), "");
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
}

TEST_F(Speculation, NobodyIsToldToCommitWhileAnotherMayBeAtIt) {
  make_straggler();
  h.heartbeat("tt1");
  const auto ask = [&](const std::string& tracker) {
    h.tracker(tracker).held.begin()->second.state = ReportedState::kCommitPending;
    h.heartbeat(tracker);
  };
  ask("tt2");
  ASSERT_EQ(h.tracker("tt2").last.commit.size(), 1u);
  ask("tt1");
  EXPECT_TRUE(h.tracker("tt1").last.commit.empty());
  h.step(LoseTracker{"tt2"});  // with the grant, and nothing done
  h.heartbeat("tt1");
  EXPECT_EQ(h.tracker("tt1").last.commit.size(), 1u);
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_EQ(maps().failed_attempts, 0u);
}

TEST_F(Speculation, WhatPublishesIsNotTriedAgain) {
  make_straggler();
  h.tracker("tt2").held.begin()->second.state = ReportedState::kCommitPending;
  h.heartbeat("tt2");
  EXPECT_EQ(h.heartbeat("tt1"), "");
}

TEST_F(Speculation, OneAttemptFailsAndTheOtherGoesOn) {
  make_straggler();
  h.heartbeat("tt1");
  h.tracker("tt1").held.begin()->second.state = ReportedState::kFailed;
  EXPECT_EQ(h.settle("tt1"), "");  // it failed there, and runs elsewhere
  EXPECT_EQ(maps().pending(), 0u);
  EXPECT_EQ(maps().running, 1u);
  EXPECT_EQ(maps().speculative.lost, 1u);
  h.step(LoseTracker{"tt2"});  // now nobody runs it
  EXPECT_EQ(maps().pending(), 1u);
  EXPECT_EQ(maps().dying, 0u);
}

TEST_F(Speculation, ALoserThatWasDoneTooChangesNothing) {
  make_straggler(1);
  h.heartbeat("tt1");
  h.tracker("tt1").held.begin()->second.state = ReportedState::kSucceeded;
  h.tracker("tt2").held.begin()->second.state = ReportedState::kSucceeded;
  h.heartbeat("tt1");
  h.heartbeat("tt2");
  EXPECT_EQ(maps().succeeded, 3u);
  EXPECT_TRUE(h.tracker("tt2").held.empty());
  const Job& job = h.state().job(JobId(1));
  ASSERT_EQ(job.map_log.size(), 3u);  // reduces hear of one output only
  EXPECT_EQ(h.state().tracker(job.map_log.back().tracker).name, "tt1");
}

TEST_F(Speculation, BothAttemptsMoveWithTheirJobAndDieWithIt) {
  make_straggler();
  h.heartbeat("tt1");
  h.step(KillJob{{"root", {}}, JobId(1)});
  EXPECT_EQ(h.running("default"), 0);
  h.settle("tt1");
  h.settle("tt2");
  EXPECT_TRUE(h.tracker("tt1").held.empty());
  EXPECT_TRUE(h.tracker("tt2").held.empty());
  EXPECT_EQ(h.state().job(JobId(1)).live_attempts, 0u);
}

TEST_F(Speculation, AChangedSettingCountsForWhatRuns) {
  h.settings().speculation.after_ms = 3'600'000;
  make_straggler();
  EXPECT_EQ(h.heartbeat("tt1"), "");
  auto settings = std::make_shared<Settings>(h.settings());
  settings->speculation.after_ms = kAfter;
  h.step(ApplySettings{{"root", {}}, settings});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m2");
}

TEST_F(Speculation, TheStragglerIsExplained) {
  make_straggler();
  h.heartbeat("tt2");
  EXPECT_THAT(h.engine().explain(JobId(1)),
              testing::Contains(testing::Field(&Reason::code, "stragglers")));
}

class SpeculationOverARestart : public Speculation, public ::testing::WithParamInterface<bool> {};

TEST_P(SpeculationOverARestart, BothAttemptsAreTakenOnAgain) {
  make_straggler();
  h.heartbeat("tt1");
  const Job& before = h.state().job(JobId(1));
  JobSnapshot job;
  job.job = JobId(1);
  job.spec = before.spec;
  job.queue = "default";
  job.state = JobState::kRunning;
  job.submitted_at = before.submitted_at;
  for (std::uint32_t i = 0; i < 2; ++i) {
    job.done.push_back({.kind = TaskKind::kMap,
                        .index = i,
                        .attempt = 0,
                        .tracker = "tt1",
                        .incarnation = h.tracker("tt1").incarnation});
  }
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 2;
  snapshot.jobs.push_back(job);
  for (const char* tracker : {"tt1", "tt2"})
    snapshot.trackers.push_back({tracker, Resources{}, {}});
  h.start(snapshot);
  std::vector<const char*> trackers = {"tt2", "tt1"};
  if (GetParam()) std::swap(trackers[0], trackers[1]);
  for (const char* tracker : trackers) {
    h.connect(tracker);
    h.heartbeat(tracker);
    EXPECT_TRUE(h.tracker(tracker).last.kill.empty()) << tracker;
  }
  h.state().each_attempt(maps().tasks[2], [&](AttemptSlot slot) {
    const Attempt& attempt = h.state().attempt(slot);
    EXPECT_EQ(attempt.speculative, attempt.key.attempt > 0) << attempt_name(attempt.key);
  });
  EXPECT_EQ(maps().running, 2u);
  EXPECT_EQ(maps().pending(), 0u);
  h.tracker("tt1").held.begin()->second.state = ReportedState::kCommitPending;
  h.settle("tt1");
  h.settle("tt2");
  EXPECT_EQ(maps().succeeded, 3u);
  EXPECT_TRUE(h.tracker("tt2").held.empty());
  EXPECT_EQ(maps().speculative.won, 1);
  EXPECT_EQ(maps().speculative.lost, 0);
}

INSTANTIATE_TEST_SUITE_P(, SpeculationOverARestart, ::testing::Bool());

}  // namespace
}  // namespace weir::test
