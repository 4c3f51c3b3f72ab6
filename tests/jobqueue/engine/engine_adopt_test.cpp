// Attempts that the engine does not know are taken on again if that can harm nobody, and an output
// belongs to one job until its files are in order.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// J1 ran before the restart: map only, so its maps publish.
struct AfterARestart : testing::Test {
  AfterARestart() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "old";
    spec->user = "ann";
    spec->queue = "default";
    spec->output = "/out-old";
    spec->splits.resize(2);
    spec->need[0].slots(TaskKind::kMap) = 1;
    job.job = JobId(1);
    job.spec = spec;
    job.queue = "default";
    job.state = JobState::kRunning;
  }
  void start() {
    Snapshot snapshot{.epoch = 3};
    snapshot.next_job = 2;
    snapshot.jobs = {job};
    snapshot.downtimes = downtimes;
    h.start(snapshot);
    for (const char* name : {"tt1", "tt2"})
      h.add_tracker(name, {.map_slots = 2, .reduce_slots = 0});
  }
  static AttemptKey map(std::uint32_t index, std::uint32_t attempt) {
    return {{JobId(1), TaskKind::kMap, index}, attempt};
  }
  // The tracker reports it; whether it may go on.
  bool taken_on(const std::string& tracker, const AttemptKey& key,
                ReportedState state = ReportedState::kRunning, DurationMs age_ms = 0) {
    AttemptReport report;
    report.age_ms = age_ms;
    report.attempt = key;
    report.state = state;
    h.tracker(tracker).held[key] = report;
    h.heartbeat(tracker);
    return h.state().find_attempt(key).valid();
  }
  static constexpr std::uint32_t kBase = 2 * kAttemptsPerEpoch;  // of this start

  // Of the queue's attempts that have ended.
  std::int64_t used_ms() {
    return h.state().queue(h.state().job(JobId(1)).queue).counters.used_ms[TaskKind::kMap];
  }

  JobSnapshot job;
  std::vector<Downtime> downtimes;
  FifoHarness h;
};

TEST_F(AfterARestart, WhatRanGoesOnOnceATask) {
  start();
  EXPECT_TRUE(taken_on("tt1", map(0, 7)));
  EXPECT_FALSE(taken_on("tt2", map(0, 8))) << "somebody does it";
  EXPECT_FALSE(taken_on("tt2", map(2, 0))) << "there is no such task";
  EXPECT_FALSE(taken_on("tt2", {{JobId(5), TaskKind::kMap, 0}, 0})) << "nor such a job";
}

// It has run for as long as its tracker says, but not since before its job was there.
TEST_F(AfterARestart, WhatRanHasRunSinceItWasLaunched) {
  job.submitted_at = h.now - 50'000;
  start();
  const Job& restored = h.state().job(JobId(1));
  EXPECT_TRUE(restored.pending());
  ASSERT_TRUE(taken_on("tt1", map(0, 7), ReportedState::kRunning, 20'000));
  EXPECT_EQ(h.state().attempt(h.state().find_attempt(map(0, 7))).launched_at, h.now - 20'000);
  EXPECT_EQ(restored.started_at, h.now - 20'000);
  ASSERT_TRUE(taken_on("tt2", map(1, 7), ReportedState::kRunning, 1'000'000'000));
  EXPECT_EQ(restored.started_at, job.submitted_at);
}

// Its tracker's clock went on while the JobTracker was down, for 600 s and before that for 100 s.
TEST_F(AfterARestart, WhatRanAlsoRanMeanwhile) {
  job.submitted_at = h.now - 50'000;
  downtimes = {{h.now - 60'000, 5'000}, {h.now - 40'000, 100'000}, {h.now - 5'000, 600'000}};
  start();
  ASSERT_TRUE(taken_on("tt1", map(0, 7), ReportedState::kRunning, 620'000));
  ASSERT_TRUE(taken_on("tt2", map(1, 7), ReportedState::kRunning, 1'000'000'000));
  const auto at = [&](std::uint32_t index) {
    return h.state().attempt(h.state().find_attempt(map(index, 7)));
  };
  EXPECT_EQ(at(0).launched_at, h.now - 20'000);
  EXPECT_EQ(at(1).launched_at, job.submitted_at);
  h.advance(1'000);
  EXPECT_EQ(at(0).in_slots_ms(h.now), 621'000);
  EXPECT_EQ(at(1).in_slots_ms(h.now), 751'000);  // not before its job was there
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(used_ms(), 621'000);
  const auto ends = h.events<AttemptEnded>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].ran_ms, 621'000);
  EXPECT_EQ(ends[0].launched_at, h.now - 21'000);
}

// The last moments before it was down are not stored: what began in them began before that.
TEST_F(AfterARestart, NothingBeganWhileTheJobTrackerWasDown) {
  job.submitted_at = h.now - 50'000;
  downtimes = {{h.now - 5'000, 600'000}};
  start();
  ASSERT_TRUE(taken_on("tt1", map(0, 7), ReportedState::kRunning, 604'000));
  const Attempt& attempt = h.state().attempt(h.state().find_attempt(map(0, 7)));
  EXPECT_EQ(attempt.launched_at, h.now - 5'001);
  EXPECT_EQ(attempt.ran_ms(h.now), 604'000);
}

// And what had ended by then had no slots any more.
TEST_F(AfterARestart, WhatHasEndedMeanwhileRanUntilThen) {
  job.submitted_at = h.now - 50'000;
  job.commits = {{map(0, 7), "tt1"}};
  downtimes = {{h.now - 5'000, 600'000}};
  start();
  AttemptReport& report = h.tracker("tt1").held[map(0, 7)];
  report.attempt = map(0, 7);
  report.state = ReportedState::kSucceeded;
  report.age_ms = 620'000;
  report.started_at_ms = 1'000'000;
  report.finished_at_ms = 1'025'000;
  h.heartbeat("tt1");
  EXPECT_EQ(used_ms(), 25'000);
  EXPECT_EQ(h.events<AttemptEnded>().at(0).ran_ms, 25'000);
}

TEST_F(AfterARestart, AJobHasStartedWithTheFirstOfWhatItHasDone) {
  JobSnapshot::DoneTask done;
  done.tracker = "tt1";
  done.launched_at = h.now - 30'000;
  job.submitted_at = h.now - 50'000;
  job.done = {done};
  done.index = 1;
  done.launched_at = h.now - 40'000;
  job.done.push_back(done);
  start();
  EXPECT_EQ(h.state().job(JobId(1)).started_at, h.now - 40'000);
}

TEST_F(AfterARestart, OrOfWhatHasFailed) {
  job.submitted_at = h.now - 50'000;
  job.failures = {{TaskKind::kMap, 0, 1, h.now - 30'000}, {TaskKind::kMap, 1, 1, h.now - 40'000}};
  start();
  EXPECT_EQ(h.state().job(JobId(1)).started_at, h.now - 40'000);
}

TEST_F(AfterARestart, OrOfWhatWasKilled) {
  job.submitted_at = h.now - 50'000;
  job.killed = {{TaskKind::kMap, 3, h.now - 40'000}};
  start();
  EXPECT_EQ(h.state().job(JobId(1)).started_at, h.now - 40'000);
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).killed_attempts, 3u);
}

// Only that something may publish is stored: it has started when its tracker says so.
TEST_F(AfterARestart, AndElseWithTheFirstThatIsTakenOn) {
  job.submitted_at = h.now - 50'000;
  job.commits = {{map(0, 7), "tt1"}};
  start();
  EXPECT_TRUE(h.state().job(JobId(1)).pending());
  ASSERT_TRUE(taken_on("tt1", map(0, 7), ReportedState::kCommitPending, 20'000));
  EXPECT_EQ(h.state().job(JobId(1)).started_at, h.now - 20'000);
}

TEST_F(AfterARestart, WhileOneMayPublishNoOtherIsTakenOn) {
  job.commits = {{map(0, 7), "tt1"}};
  start();
  EXPECT_FALSE(taken_on("tt2", map(0, 8)));
  EXPECT_TRUE(taken_on("tt1", map(0, 7), ReportedState::kCommitPending));
}

TEST_F(AfterARestart, WhoHasPublishedByItsGrantIsDone) {
  job.commits = {{map(0, 7), "tt1"}};
  start();
  taken_on("tt1", map(0, 7), ReportedState::kSucceeded);
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).succeeded, 1u);
  taken_on("tt2", map(1, 7), ReportedState::kSucceeded);  // nobody had told it to
  EXPECT_EQ(h.state().job(JobId(1)).tasks(TaskKind::kMap).succeeded, 1u);
  EXPECT_TRUE(h.events<AttemptFailed>().empty());
}

// Also when what this start has given out comes back, its tracker thought lost.
TEST_F(AfterARestart, NumbersGoOnAfterThoseThatAreTakenOn) {
  start();
  EXPECT_TRUE(taken_on("tt1", map(1, kAttemptsPerEpoch + 9)));  // of an earlier start
  h.advance(60'000);
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m0");
  EXPECT_TRUE(h.state().find_attempt(map(0, kBase)).valid());
  h.step(LoseTracker{"tt1"});
  ASSERT_EQ(h.heartbeat("tt2"), "J1/m1");
  EXPECT_TRUE(h.state().find_attempt(map(1, kBase)).valid());
  h.step(LoseTracker{"tt2"});
  h.connect("tt2");
  h.heartbeat("tt2");
  EXPECT_TRUE(h.state().find_attempt(map(1, kBase)).valid());
  h.step(LoseTracker{"tt2"});
  h.add_tracker("tt3", {.map_slots = 2, .reduce_slots = 0});
  ASSERT_EQ(h.heartbeat("tt3"), "J1/m1 J1/m0");  // that has been lost twice
  EXPECT_TRUE(h.state().find_attempt(map(1, kBase + 1)).valid());
}

TEST_F(AfterARestart, NumbersThatWereNeverGivenOutAreNotTakenOn) {
  start();
  EXPECT_FALSE(taken_on("tt1", map(0, kBase + kAttemptsPerEpoch)));
  EXPECT_FALSE(taken_on("tt1", map(0, kBase)));
}

// What it said before it registered may still be on its way, and does not know what started since.
TEST_F(AfterARestart, WhatATrackerSaidBeforeItRegisteredIsOldNews) {
  start();
  h.tracker("tt1").sequence = 8;
  RegisterTracker registration;
  registration.name = "tt1";
  registration.incarnation = h.tracker("tt1").incarnation;
  registration.host = "host-tt1";
  registration.total = Resources{{2, 0, 0, 0}};
  registration.reported = 9;
  h.step(registration);
  h.heartbeat("tt1");
  EXPECT_FALSE(h.state().find_tracker("tt1")->reported);
  EXPECT_TRUE(taken_on("tt1", map(0, 7)));
}

// --- Outputs ---

struct OutputsTest : testing::Test {
  OutputsTest() { h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0}); }
  // Whether a job that writes to /out1, as J1 does, is accepted.
  bool accepted() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "again";
    spec->user = "user";
    spec->queue = "default";
    spec->output = "/out1";
    spec->splits.resize(1);
    const auto replies = h.step(SubmitJob{{"user", {}}, spec});
    return std::holds_alternative<Submitted>(replies.at(0).body);
  }
  FifoHarness h;
};

TEST_F(OutputsTest, OfAKilledJobItIsFreeWhenItIsCleanedUp) {
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  EXPECT_FALSE(accepted());
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_FALSE(accepted()) << "what it wrote would go with the clean-up of the other's";
  h.settle("tt1");
  EXPECT_TRUE(accepted());
}

TEST_F(OutputsTest, OfAJobThatNeverRanItIsFreeAtOnce) {
  h.submit({.maps = 1});
  h.step(KillJob{{"user", {}}, JobId(1)});
  EXPECT_TRUE(accepted());
}

TEST_F(OutputsTest, OfAJobThatSucceededItIsFreeWhenItIsMarked) {
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  EXPECT_FALSE(accepted());
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  EXPECT_TRUE(accepted());
}

}  // namespace
}  // namespace weir::test
