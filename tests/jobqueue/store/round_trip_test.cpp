// Every kind of durable event has its effect, and the effect survives a restart.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::ElementsAre;
using testing::IsEmpty;

class RoundTrip : public testing::Test {
 protected:
  void SetUp() override { open(); }

  void open() {
    auto opened = open_sqlite_store(directory_.file("weir.db"), trivial_codec(),
                                    {.finished_jobs_limit = 2});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = std::move(opened).value();
  }

  void append(std::vector<Fact> facts) {
    std::vector<Event> events;
    for (Fact& fact : facts) events.push_back(make_(std::move(fact)));
    const Status status = store_->append(events);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  // As after a kill and a start.
  Snapshot restarted() {
    store_.reset();
    open();
    auto snapshot = store_->load();
    EXPECT_TRUE(snapshot.ok()) << (snapshot.ok() ? "" : snapshot.error().message);
    return std::move(snapshot).value();
  }

  TemporaryDirectory directory_;
  EventMaker make_;
  std::unique_ptr<Store> store_;
};

TEST_F(RoundTrip, AnEmptyStoreStartsFromNothingAndCountsItsStarts) {
  const Snapshot first = restarted();
  EXPECT_EQ(first.epoch, 1u);
  EXPECT_EQ(first.next_job, 1u);
  EXPECT_EQ(first.last_seq, 0u);
  EXPECT_EQ(first.last_time, 0);
  EXPECT_THAT(first.jobs, IsEmpty());
  EXPECT_EQ(restarted().epoch, 2u);
}

TEST_F(RoundTrip, ASubmittedJobComesBackAsItWas) {
  append({submitted(3, "org.b")});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.jobs.size(), 1u);
  const JobSnapshot& job = snapshot.jobs[0];
  EXPECT_EQ(job.job, JobId(3));
  EXPECT_EQ(job.spec->name, "job number 3");
  EXPECT_EQ(job.spec->user, "ann");
  EXPECT_EQ(job.queue, "org.b");
  EXPECT_EQ(job.priority, Priority::kHigh);
  EXPECT_EQ(job.state, JobState::kWaiting);
  EXPECT_EQ(job.submitted_at, 1000);
  EXPECT_EQ(job.finished_at, 0);
  EXPECT_FALSE(job.kill_requested);
  EXPECT_EQ(snapshot.next_job, 4u);
  EXPECT_EQ(snapshot.last_seq, 1u);
  EXPECT_EQ(snapshot.last_time, 1000);
}

TEST_F(RoundTrip, CommandsOnJobsAndQueues) {
  append({submitted(1), submitted(2)});
  append({JobKillRequested{job(1), "bob"}, PriorityChanged{job(2), Priority::kVeryLow},
          JobMoved{job(2), "org.b", "guests.summer"}, QueueStateChanged{"org.a", true},
          QueueStateChanged{"org.b", true}, QueueStateChanged{"org.a", false},
          JobReleased{job(2), "bob"}, JobDeadlineSet{job(1), 7'000}});
  const Snapshot snapshot = restarted();
  EXPECT_TRUE(snapshot.jobs[0].kill_requested);
  EXPECT_FALSE(snapshot.jobs[1].kill_requested);
  EXPECT_EQ(snapshot.jobs[1].priority, Priority::kVeryLow);
  EXPECT_EQ(snapshot.jobs[1].queue, "org.b");
  EXPECT_EQ(snapshot.jobs[1].pool, "guests.summer");
  EXPECT_EQ(snapshot.jobs[0].pool, "");
  EXPECT_FALSE(snapshot.jobs[0].released);
  EXPECT_TRUE(snapshot.jobs[1].released);
  EXPECT_EQ(snapshot.jobs[0].deadline, 7'000);
  EXPECT_EQ(snapshot.jobs[1].deadline, 0);
  EXPECT_THAT(snapshot.stopped_queues, ElementsAre("org.b"));
}

TEST_F(RoundTrip, SettingsAndPolicy) {
  auto settings = std::make_shared<Settings>();
  settings->text = "queues:\n  - name: \"org\"\n";
  settings->source = "capacity.yaml";
  settings->file_hash = "abc";
  append({SettingsChanged{settings, {}}, PolicyChanged{"fifo"}});
  const Snapshot snapshot = restarted();
  EXPECT_EQ(snapshot.settings_text, settings->text);
  EXPECT_EQ(snapshot.settings_source, "capacity.yaml");
  EXPECT_EQ(snapshot.settings_file_hash, "abc");
  EXPECT_EQ(snapshot.policy, "fifo");
  EXPECT_EQ(store_->get_meta(kSettingsFileHashKey).value(), "abc");
  auto commanded = std::make_shared<Settings>();
  commanded->text = "queues: []\n";
  append({SettingsChanged{commanded, {}}});  // the file was read all the same
  EXPECT_EQ(restarted().settings_file_hash, "abc");
  EXPECT_EQ(store_->get_meta("never set").value(), std::nullopt);
  EXPECT_FALSE(store_->set_meta("epoch", "1").ok());
}

// Who applied what, and who set another policy. A policy that settings name is no change of its
// own, and the oldest go.
TEST_F(RoundTrip, TheNewestSettingsAreKeptWithWhoAppliedThem) {
  const auto settings = [](const std::string& text) {
    auto made = std::make_shared<Settings>();
    made->text = text;
    made->source = text + ".yaml";
    made->policy = "fair";
    return made;
  };
  append({PolicyChanged{"fair", "", ""}, SettingsChanged{settings("one"), {}, ""},
          PolicyChanged{"fifo", "", "ann"}, SettingsChanged{settings("two"), {}, "bob"}});
  restarted();
  const auto history = store_->history().value();
  const auto records = history->settings().value();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0], (SettingsRecord{3, records[0].at, "bob", "fair", "two.yaml"}));
  EXPECT_EQ(records[1], (SettingsRecord{2, records[1].at, "ann", "fifo", ""}));
  EXPECT_EQ(records[2], (SettingsRecord{1, records[2].at, "", "fair", "one.yaml"}));
  EXPECT_LT(records[2].at, records[0].at);
  EXPECT_EQ(history->settings_text(1).value(), "one");
  EXPECT_EQ(history->settings_text(2).value(), std::nullopt);
  EXPECT_EQ(history->settings_text(4).value(), std::nullopt);
  for (std::size_t i = 0; i < kSettingsKept - 1; ++i) append({PolicyChanged{"fifo", "", "ann"}});
  EXPECT_EQ(history->settings().value().size(), kSettingsKept);
  EXPECT_EQ(history->settings().value().back().number, 3u);
  EXPECT_EQ(history->settings_text(1).value(), std::nullopt);
  EXPECT_EQ(history->settings_text(3).value(), "two");
  append({SettingsChanged{settings("three"), {}, "ann"}});
  EXPECT_EQ(history->settings().value().back().number, 4u);
}

TEST_F(RoundTrip, WhichSettingsAreInForceIsKept) {
  EXPECT_EQ(restarted().settings_stamp, SettingsStamp{});
  const auto settings = std::make_shared<Settings>();
  settings->text = "policy: fair";
  append({SettingsChanged{settings, {}, "ann", 4, 77}});
  SettingsStamp stamp = restarted().settings_stamp;
  EXPECT_EQ(stamp.number, 4u);
  EXPECT_EQ(stamp.by, "ann");
  EXPECT_EQ(store_->history().value()->settings().value().at(0).number, 4u);
  for (std::uint64_t number = 5; number < 5 + kSettingsKept; ++number)
    append({PolicyChanged{"fifo", "", "bob", number}});
  const Snapshot later = restarted();  // the history has let go of it
  EXPECT_EQ(later.settings_stamp, stamp);
  EXPECT_EQ(later.last_settings_number, 4 + kSettingsKept);
}

TEST_F(RoundTrip, SettingsMoveTheUnfinishedJobsOfRemovedQueues) {
  append({submitted(1, "org.old"), submitted(2, "org.old"), submitted(3, "org.older"),
          JobStateChanged{job(2), JobState::kFailed, ""}});
  append({SettingsChanged{std::make_shared<Settings>(), {{"org.old", "org.a"}}}});
  const Snapshot snapshot = restarted();
  EXPECT_EQ(snapshot.jobs[0].queue, "org.a");
  EXPECT_EQ(snapshot.jobs[1].queue, "org.old");  // over
  EXPECT_EQ(snapshot.jobs[2].queue, "org.older");
}

TEST_F(RoundTrip, OpenClaimsComeBackWithWhatTheyStillOwe) {
  const auto opened = [](std::uint64_t claim, std::int64_t slots, TimeMs born) {
    return ClaimOpened{claim, "org.a", TaskKind::kReduce, slots, born, born + 60'000, false};
  };
  append({opened(4, 3, 700), opened(5, 2, 800), opened(6, 1, 900)});
  append({ClaimMet{4, "org.a", TaskKind::kReduce, 1, 2, 0},
          ClaimMet{5, "org.a", TaskKind::kReduce, 2, 0, 0},
          ClaimDropped{6, "org.a", TaskKind::kReduce, 1, 0, 0}});
  Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.claims.size(), 1u);
  EXPECT_EQ(snapshot.claims[0].claim, 4u);
  EXPECT_EQ(snapshot.claims[0].queue, "org.a");
  EXPECT_EQ(snapshot.claims[0].dimension, TaskKind::kReduce);
  EXPECT_EQ(snapshot.claims[0].slots, 2);
  EXPECT_EQ(snapshot.claims[0].born, 700);
  EXPECT_EQ(snapshot.next_claim, 7u);
  append({opened(4, 2, 5000)});  // another policy ruled: it is younger
  EXPECT_EQ(restarted().claims.at(0).born, 5000);
}

TEST_F(RoundTrip, LossesToKillsOfTheLastHourButWhatWasTakenBack) {
  const auto lost = [](TimeMs at, const char* queue, std::int64_t slot_ms, bool back = false) {
    return SlotsLost{{.queue = queue, .pool = "p", .at = at, .slot_ms = slot_ms}, back};
  };
  append({lost(100, "a", 7), lost(200, "a", 5), lost(200, "a", 5), lost(200, "b", 5)});
  EXPECT_EQ(restarted().kill_losses.size(), 4u);
  append({lost(200, "a", 5, true)});
  append({lost(100 + KillLosses::kWindowMs, "b", 3)});  // the first one has left the hour
  const auto all = restarted().kill_losses;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], (KillLoss{"a", "p", 200, 5}));
  EXPECT_EQ(all[1], (KillLoss{"b", "p", 200, 5}));
  EXPECT_EQ(all[2], (KillLoss{"b", "p", 100 + KillLosses::kWindowMs, 3}));
}

TEST_F(RoundTrip, TotalsOfTrackersAndSinceWhenThePolicyRules) {
  append({TrackerTotal{"tt1", Resources{{4, 2, 0, 0}}},
          TrackerTotal{"tt2", Resources{{1, 1, 9, 8}}},
          TrackerTotal{"tt3", Resources{{1, 0, 0, 0}}}});
  append({TrackerTotal{"tt1", Resources{{6, 2, 0, 0}}}, TrackerTotal{"tt3", Resources{}},
          PolicyChanged{"fifo", "capacity"}});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.trackers.size(), 2u);
  EXPECT_EQ(snapshot.trackers[0].name, "tt1");
  EXPECT_EQ(snapshot.trackers[0].total, (Resources{{6, 2, 0, 0}}));
  EXPECT_EQ(snapshot.trackers[1].total, (Resources{{1, 1, 9, 8}}));
  EXPECT_EQ(snapshot.policy_since, 6000);
  EXPECT_EQ(snapshot.claims_policy, "capacity");
  append({PolicyChanged{"fifo", "capacity"}});
  EXPECT_EQ(restarted().policy_since, 6000) << "it ruled already";
  append({PolicyChanged{"fair", "capacity"}});
  EXPECT_GT(restarted().policy_since, 6000);
}

// Which it is the settings say: a switch is always written as one.
TEST_F(RoundTrip, ThePolicyOfTheFirstSettingsRulesSinceThese) {
  const auto changed = [] { return SettingsChanged{std::make_shared<Settings>(), {}}; };
  append({changed()});
  const TimeMs first = restarted().policy_since;
  EXPECT_GT(first, 0);
  EXPECT_EQ(restarted().policy, "");
  append({changed()});
  EXPECT_EQ(restarted().policy_since, first);
  append({PolicyChanged{"fair", ""}, changed()});
  EXPECT_GT(restarted().policy_since, first);
}

TEST_F(RoundTrip, WhatIsOrderedOfTrackersAndTheirFaults) {
  append(
      {TrackersOrdered{{{"tt1", 7}, {"tt2", 8}, {"tt3", 9}}, TrackerOrder::kDrain, "ann",
                       "new disks"},  // 1 s
       TrackersOrdered{{{"tt2", 8}}, TrackerOrder::kStopNow, "bob"},
       TrackersOrdered{{{"tt3", 9}}, TrackerOrder::kNone, "bob"},
       TrackerFault{"tt1", 7, job(1), -500}, TrackerFault{"tt1", 7, job(2), -500},
       TrackerFault{"tt4", 5, job(3), -500}, TrackerFault{"tt1", 7, job(4), 5000}});
  Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.tracker_orders.size(), 2u);
  EXPECT_EQ(snapshot.tracker_orders[0].name, "tt1");
  EXPECT_EQ(snapshot.tracker_orders[0].order, TrackerOrder::kDrain);
  EXPECT_EQ(snapshot.tracker_orders[0].incarnation, 7);
  EXPECT_EQ(snapshot.tracker_orders[0].at, 1000);
  EXPECT_EQ(snapshot.tracker_orders[0].by, "ann");
  EXPECT_EQ(snapshot.tracker_orders[0].reason, "new disks");
  EXPECT_FALSE(snapshot.tracker_orders[0].drains);
  EXPECT_EQ(snapshot.tracker_orders[1].order, TrackerOrder::kStopNow);
  EXPECT_TRUE(snapshot.tracker_orders[1].drains);
  ASSERT_EQ(snapshot.tracker_faults.size(), 3u) << "the first of tt1 is forgotten";
  EXPECT_EQ(snapshot.tracker_faults[0].at, 5000);
  EXPECT_EQ(snapshot.tracker_faults[1].at, 7000);
  EXPECT_EQ(snapshot.tracker_faults[2].name, "tt4");
  EXPECT_EQ(snapshot.tracker_faults[2].incarnation, 5);
  append({TrackerStopEnded{"tt2"}, TrackerStopEnded{"tt1"}, TrackerForgiven{"tt1"},
          TrackersOrdered{{{"tt4", 5}}, TrackerOrder::kNone, "bob"}});
  snapshot = restarted();
  ASSERT_EQ(snapshot.tracker_orders.size(), 2u) << "a drain is no stop";
  EXPECT_EQ(snapshot.tracker_orders[1].order, TrackerOrder::kDrain) << "as before the stop";
  EXPECT_TRUE(snapshot.tracker_faults.empty());
}

TEST_F(RoundTrip, LostTrackersUntilTheyComeBackOrAreForgotten) {
  append({TrackerLost{"tt1", "is gone", "node1", "r1", 5}, TrackerLost{"tt2", "is gone", "", "", 6},
          TrackerLost{"tt3", "is gone", "", "", 7}});
  append({TrackerLost{"tt1", "was silent for 10m", "node1", "r2", 8}});
  Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.lost_trackers.size(), 3u);
  EXPECT_EQ(snapshot.lost_trackers[0].name, "tt1");
  EXPECT_EQ(snapshot.lost_trackers[0].why, "was silent for 10m");
  EXPECT_EQ(snapshot.lost_trackers[0].host, "node1");
  EXPECT_EQ(snapshot.lost_trackers[0].rack, "r2");
  EXPECT_EQ(snapshot.lost_trackers[0].last_heartbeat, 8);
  TrackersOrdered forgotten{{{"tt3", 1}}, TrackerOrder::kNone, "ann"};
  forgotten.forget = true;
  append({TrackerBack{"tt2"}, forgotten,
          TrackersOrdered{{{"tt1", 1}}, TrackerOrder::kNone, "ann"}});
  snapshot = restarted();
  ASSERT_EQ(snapshot.lost_trackers.size(), 1u);
  EXPECT_EQ(snapshot.lost_trackers[0].name, "tt1");
}

TEST_F(RoundTrip, OfLostTrackersThoseSilentForLongestGo) {
  std::vector<Fact> facts;
  for (int i = 0; i < 1'005; ++i)
    facts.push_back(DurableFact(TrackerLost{"tt" + std::to_string(i), "", "", "", i}));
  append(std::move(facts));
  const Snapshot snapshot = restarted();
  EXPECT_EQ(snapshot.lost_trackers.size(), 1'000u);
  for (const LostTrackerSnapshot& tracker : snapshot.lost_trackers)
    EXPECT_GE(tracker.last_heartbeat, 5);
}

TEST_F(RoundTrip, AStopOfEitherKindIsOverWhenItsTrackerHasLeft) {
  append({TrackersOrdered{{{"tt1", 7}}, TrackerOrder::kDrain, "ann"},
          TrackersOrdered{{{"tt2", 8}}, TrackerOrder::kStop, "ann"},
          TrackersOrdered{{{"tt3", 9}}, TrackerOrder::kStopNow, "ann"}});
  append({TrackerStopEnded{"tt1"}, TrackerStopEnded{"tt2"}, TrackerStopEnded{"tt3"}});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.tracker_orders.size(), 1u);
  EXPECT_EQ(snapshot.tracker_orders[0].name, "tt1");
}

TEST_F(RoundTrip, DoneTasksWithTheirCountersUntilReopened) {
  auto counters = std::make_shared<const Counters>(
      Counters{{"tab\tand\\line\nend", {{"", -5}, {"n", INT64_MAX}}}, {"words", {{"seen", 3}}}});
  append({submitted(1), submitted(2)});
  append({succeeded(attempt(2, TaskKind::kReduce, 0, 1)),
          succeeded(attempt(2, TaskKind::kMap, 1, 0), counters),
          succeeded(attempt(2, TaskKind::kMap, 0, 0), counters),
          succeeded(attempt(1, TaskKind::kMap, 9, 4), std::make_shared<const Counters>())});
  append({TaskReopened{{job(2), TaskKind::kMap, 0}, "its tracker was lost"}});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.jobs[0].done.size(), 1u);
  EXPECT_EQ(snapshot.jobs[0].done[0].attempt, 4u);
  const auto& done = snapshot.jobs[1].done;
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].kind, TaskKind::kMap);
  EXPECT_EQ(done[0].index, 1u);
  EXPECT_EQ(done[0].tracker, "tt1");
  EXPECT_EQ(done[0].incarnation, 77);
  EXPECT_EQ(*done[0].counters, *counters);
  EXPECT_EQ(done[1].kind, TaskKind::kReduce);
  EXPECT_EQ(done[1].counters, nullptr);
}

TEST_F(RoundTrip, FailuresAreCountedByTask) {
  append({submitted(1), AttemptFailed{attempt(1, TaskKind::kMap, 4, 0), "tt1", "exit code 1", 70},
          AttemptFailed{attempt(1, TaskKind::kMap, 4, 1), "tt2", "exit code 1", 90},
          AttemptFailed{attempt(1, TaskKind::kReduce, 4, 0), "tt2", "exit code 2"}});
  const Snapshot snapshot = restarted();
  const auto& failures = snapshot.jobs[0].failures;
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].index, 4u);
  EXPECT_EQ(failures[0].count, 2u);
  EXPECT_EQ(failures[0].launched_at, 70);  // the first
  EXPECT_EQ(failures[1].kind, TaskKind::kReduce);
  EXPECT_EQ(failures[1].count, 1u);
}

TEST_F(RoundTrip, KilledAttemptsAreCountedByKind) {
  const auto killed = [](TaskKind kind, TimeMs launched_at) {
    return AttemptKilled{attempt(1, kind, 4, 0), launched_at};
  };
  append({submitted(1), killed(TaskKind::kMap, 70), killed(TaskKind::kReduce, 90),
          killed(TaskKind::kMap, 60)});
  const auto counted = restarted().jobs[0].killed;
  ASSERT_EQ(counted.size(), 2u);
  EXPECT_EQ(counted[0].kind, TaskKind::kMap);
  EXPECT_EQ(counted[0].count, 2u);
  EXPECT_EQ(counted[0].launched_at, 60);  // the first
  EXPECT_EQ(counted[1].kind, TaskKind::kReduce);
  EXPECT_EQ(counted[1].count, 1u);
  append({JobStateChanged{job(1), JobState::kKilled, ""}, killed(TaskKind::kMap, 80)});
  EXPECT_TRUE(restarted().jobs[0].killed.empty());
}

TEST_F(RoundTrip, TheLastRestOfATaskUntilItsJobIsOver) {
  const auto rested = [](std::uint32_t task, DurationMs pause, TimeMs until) {
    return TaskRested{{job(1), group_kind(0), task}, pause, until};
  };
  append({submitted(1), rested(2, 1000, 1500), rested(2, 2000, 4500), rested(3, 1000, 1700)});
  const Snapshot snapshot = restarted();
  const auto& rests = snapshot.jobs[0].rests;
  ASSERT_EQ(rests.size(), 2u);
  EXPECT_EQ(rests[0].task, (TaskKey{job(1), group_kind(0), 2}));
  EXPECT_EQ(rests[0].pause_ms, 2000);
  EXPECT_EQ(rests[0].until, 4500);
  append({JobStateChanged{job(1), JobState::kKilled, ""}, rested(3, 2000, 9000)});
  EXPECT_TRUE(restarted().jobs[0].rests.empty());
}

// One holder a task; a success or the holder's own failure ends the grant, another attempt's
// failure does not.
TEST_F(RoundTrip, CommitsUntilTheyAreSettled) {
  append({submitted(1)});
  for (std::uint32_t task = 0; task < 4; ++task) {
    append({CommitGranted{attempt(1, TaskKind::kReduce, task, 0), "tt1"}});
  }
  append({CommitGranted{attempt(1, TaskKind::kReduce, 0, 1), "tt2"},
          succeeded(attempt(1, TaskKind::kReduce, 1, 0)),
          AttemptFailed{attempt(1, TaskKind::kReduce, 2, 0), "tt1", "gone"},
          AttemptFailed{attempt(1, TaskKind::kReduce, 3, 9), "tt1", "gone"}});
  const Snapshot snapshot = restarted();
  const auto& commits = snapshot.jobs[0].commits;
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].attempt, attempt(1, TaskKind::kReduce, 0, 1));
  EXPECT_EQ(commits[0].tracker, "tt2");
  EXPECT_EQ(commits[1].attempt, attempt(1, TaskKind::kReduce, 3, 0));
}

TEST_F(RoundTrip, AFinishedJobComesBackWithoutItsTasks) {
  append({submitted(1), JobStateChanged{job(1), JobState::kRunning, ""},
          succeeded(attempt(1, TaskKind::kMap, 0, 0)),
          CommitGranted{attempt(1, TaskKind::kReduce, 0, 0), "tt1"},
          AttemptFailed{attempt(1, TaskKind::kMap, 1, 0), "tt1", "exit code 1"}});
  EXPECT_EQ(restarted().jobs[0].state, JobState::kRunning);
  append({JobStateChanged{job(1), JobState::kFailed, "task_0001_m_000001 failed 4 times"}});
  append({succeeded(attempt(1, TaskKind::kMap, 2, 0))});  // a late report
  const Snapshot snapshot = restarted();
  const JobSnapshot& job = snapshot.jobs[0];
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.finished_at, 6000);
  EXPECT_EQ(job.diagnostics, "task_0001_m_000001 failed 4 times");
  EXPECT_THAT(job.done, IsEmpty());
  EXPECT_THAT(job.failures, IsEmpty());
  EXPECT_THAT(job.commits, IsEmpty());
}

TEST_F(RoundTrip, OnlyTheNewestFinishedJobsAreShownAndIdsNeverRepeat) {
  append({submitted(1), submitted(2), submitted(3), submitted(4)});
  append({JobStateChanged{job(4), JobState::kSucceeded, ""},
          JobStateChanged{job(3), JobState::kKilled, ""},
          JobStateChanged{job(1), JobState::kSucceeded, ""}});
  const Snapshot snapshot = restarted();  // shows two finished jobs
  ASSERT_EQ(snapshot.jobs.size(), 3u);
  EXPECT_EQ(snapshot.jobs[0].job, JobId(1));
  EXPECT_EQ(snapshot.jobs[1].job, JobId(2));
  EXPECT_EQ(snapshot.jobs[2].job, JobId(3));
  EXPECT_EQ(snapshot.next_job, 5u);
}

TEST_F(RoundTrip, JobsWhoseFilesAreStillToBeRemovedAllComeBackHoweverTheyEnded) {
  append({submitted(1), submitted(2), submitted(3), submitted(4), submitted(5)});
  append({JobStateChanged{job(1), JobState::kSucceeded, "", true},
          JobStateChanged{job(2), JobState::kFailed, "", true},
          JobStateChanged{job(3), JobState::kKilled, "", true},
          JobStateChanged{job(4), JobState::kKilled, ""},
          JobStateChanged{job(5), JobState::kKilled, ""}});
  const Snapshot snapshot = restarted();  // shows two finished jobs besides
  ASSERT_EQ(snapshot.jobs.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(snapshot.jobs[i].cleanup, i < 3) << i;
}

TEST_F(RoundTrip, FactsAboutUnknownJobsAreLeftOut) {
  append({succeeded(attempt(8, TaskKind::kMap, 0, 0)),
          CommitGranted{attempt(8, TaskKind::kMap, 1, 0), "tt1"},
          AttemptFailed{attempt(8, TaskKind::kMap, 2, 0), "tt1", ""},
          JobStateChanged{job(8), JobState::kFailed, ""}, submitted(9)});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.jobs.size(), 1u);
  EXPECT_EQ(snapshot.jobs[0].job, JobId(9));
  EXPECT_EQ(snapshot.last_seq, 5u);
}

TEST_F(RoundTrip, TimeNeverGoesBack) {
  append({PolicyChanged{"fifo"}});
  ASSERT_TRUE(store_->touch_time(50'000).ok());
  ASSERT_TRUE(store_->touch_time(40'000).ok());
  append({PolicyChanged{"capacity"}});
  EXPECT_EQ(restarted().last_time, 50'000);
}

}  // namespace
}  // namespace weir
