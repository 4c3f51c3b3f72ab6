// Tasks that take their trackers down, and who is blamed for it; reports of what was never given
// out.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::HasSubstr;

// Its process was killed, and starts again: all that ran there is gone.
void crash(FifoHarness& h, const std::string& tracker) {
  h.add_tracker(tracker, h.tracker(tracker).options);
}

TEST(EngineLosses, ATaskThatTakesThreeTrackersDownHasFailed) {
  FifoHarness h;
  for (const char* name : {"tt1", "tt2", "tt3", "tt4"})
    h.add_tracker(name, {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  for (const char* name : {"tt1", "tt2", "tt3"}) {
    ASSERT_EQ(h.heartbeat(name), "J1/m0");
    EXPECT_EQ(h.state_of(1), JobState::kRunning);
    crash(h, name);
  }
  EXPECT_EQ(h.state_of(1), JobState::kFailed);
  EXPECT_THAT(h.state().job(JobId(1)).diagnostics,
              HasSubstr("was lost with its tracker 3 times, last with tt3, which was restarted: it "
                        "seems to take trackers down"));
  EXPECT_EQ(h.heartbeat("tt4"), "");
}

TEST(EngineLosses, ASuspectRunsElsewhereFirst) {
  FifoHarness h;
  for (const char* name : {"tt1", "tt2"}) h.add_tracker(name, {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  crash(h, "tt1");
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");  // once may be anything
  crash(h, "tt1");
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.heartbeat("tt2"), "J1/m0");
}

// Two jobs on one tracker: what is not to blame ends in peace.
TEST(EngineLosses, ABystanderIsNotBlamed) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.maps = 1, .name = "hostile"});
  h.submit({.maps = 1, .name = "bystander"});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0 J2/m0");
    crash(h, "tt1");
  }
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");  // not both at once
  EXPECT_EQ(h.heartbeat("tt1"), "");
  crash(h, "tt1");
  EXPECT_EQ(h.state_of(1), JobState::kFailed);
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
  h.finish("J2/m0");
  h.settle("tt1");
  EXPECT_EQ(h.state_of(2), JobState::kSucceeded);
}

// Her first job takes tt1 down until it has failed.
void make_eve_known(FifoHarness& h) {
  h.submit({.user = "eve", .maps = 1});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
    crash(h, "tt1");
  }
  ASSERT_EQ(h.state_of(1), JobState::kFailed);
}

// One hostile job after the other, each with a task that was never lost before.
void crash_with_fresh_tasks_of_eve(FifoHarness& h, std::uint32_t first_job, int times) {
  for (int i = 0; i < times; ++i) {
    const std::uint32_t job = first_job + static_cast<std::uint32_t>(i);
    h.submit({.user = "eve", .maps = 1});
    ASSERT_THAT(h.heartbeat("tt1"), HasSubstr("J" + std::to_string(job) + "/m0"));
    ASSERT_THAT(h.running("default"), 2);
    crash(h, "tt1");
    h.step(KillJob{{"eve", {}}, JobId(job)});
    h.settle("tt1");
  }
}

TEST(EngineLosses, WhoIsKnownForItIsBlamedAndNoBystander) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  make_eve_known(h);
  h.submit({.user = "bob", .maps = 1});
  crash_with_fresh_tasks_of_eve(h, 3, 5);
  EXPECT_TRUE(h.state().job(JobId(2)).losses.empty());
  EXPECT_EQ(h.state_of(2), JobState::kRunning);
  // For an hour.
  h.advance(3'600'000);
  h.connect("tt1");
  crash_with_fresh_tasks_of_eve(h, 8, 3);
  EXPECT_EQ(h.state_of(2), JobState::kFailed);
}

TEST(EngineLosses, SuspectsAreKeptApartForAMinuteOnly) {
  FifoHarness h;
  h.settings().heartbeat.expiry_ms = 3'600'000;
  h.add_tracker("tt1", {.map_slots = 3, .reduce_slots = 0});
  h.submit({.maps = 2});
  h.submit({.maps = 1});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J2/m0");
    crash(h, "tt1");
  }
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1");  // of one job together
  h.advance(59'999);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  h.advance(1);
  EXPECT_EQ(h.heartbeat("tt1"), "J2/m0");
}

TEST(EngineLosses, WhatIsLostWithATrackerThatWasToldToEndIsNotBlamed) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
    RegisterTracker again;
    again.name = "tt1";
    again.incarnation = ++h.tracker("tt1").incarnation;
    again.total = Resources{{1, 0, 0, 0}};
    again.ended_in_order = true;
    h.tracker("tt1").held.clear();
    h.tracker("tt1").sequence = 0;
    h.step(again);
  }
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  EXPECT_TRUE(h.state().job(JobId(1)).losses.empty());
}

// It was only silent: its attempt goes on, and nobody is to blame.
TEST(EngineLosses, ATrackerThatComesBackTakesTheBlameBack) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  for (int i = 0; i < 4; ++i) {
    h.step(LoseTracker{"tt1"});
    EXPECT_EQ(h.state().job(JobId(1)).losses.size(), 1u);
    h.connect("tt1");
    EXPECT_EQ(h.heartbeat("tt1"), "");
    EXPECT_EQ(h.running("default"), 1);
    EXPECT_TRUE(h.state().job(JobId(1)).losses.empty());
  }
  h.finish("J1/m0");
  h.settle("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

// And only what it was blamed for.
TEST(EngineLosses, ATrackerThatComesBackTakesBackNoBlameOfOthers) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  make_eve_known(h);
  h.submit({.user = "bob", .maps = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J2/m0");
  crash(h, "tt1");
  ASSERT_EQ(h.state().job(JobId(2)).losses.size(), 1u);
  h.submit({.user = "eve", .maps = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J2/m0 J3/m0");
  h.step(LoseTracker{"tt1"});  // eve is known for it
  ASSERT_EQ(h.state().job(JobId(3)).losses.size(), 1u);
  h.connect("tt1");
  h.heartbeat("tt1");
  ASSERT_EQ(h.running("default"), 2);
  EXPECT_TRUE(h.state().job(JobId(3)).losses.empty());
  EXPECT_EQ(h.state().job(JobId(2)).losses.size(), 1u);
}

AttemptReport forged(std::uint32_t attempt) {
  AttemptReport report;
  report.attempt = {{JobId(1), TaskKind::kMap, 0}, attempt};
  return report;
}

bool is_told_to_die(FifoHarness& h, const std::string& tracker, std::uint32_t attempt) {
  h.tracker(tracker).held.clear();
  const AttemptReport report = forged(attempt);
  h.tracker(tracker).held.emplace(report.attempt, report);
  h.heartbeat(tracker);
  const auto& kill = h.tracker(tracker).last.kill;
  return std::find(kill.begin(), kill.end(), report.attempt) != kill.end();
}

TEST(EngineForged, AnAttemptThatWasNotLaunchedThereIsNotTakenOn) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("forger", {.map_slots = 0, .reduce_slots = 0});
  h.heartbeat("forger");
  h.submit({.maps = 1});
  EXPECT_TRUE(is_told_to_die(h, "forger", 0));  // to be launched next
  EXPECT_TRUE(is_told_to_die(h, "forger", 7));  // far from it
  EXPECT_EQ(h.running("default"), 0);
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.step(LoseTracker{"tt1"});
  EXPECT_TRUE(is_told_to_die(h, "forger", h.tracker("tt1").held.begin()->first.attempt));
  EXPECT_EQ(h.running("default"), 0);
  h.connect("tt1");
  h.heartbeat("tt1");
  EXPECT_EQ(h.running("default"), 1);
}

TEST(EngineForged, NorIsOneOfThisStartWhileTheJobTrackerRecovers) {
  FifoHarness h;
  JobSnapshot old;
  old.job = JobId(1);
  auto spec = std::make_shared<JobSpec>();
  spec->user = "user";
  spec->queue = "default";
  spec->input_files = {"/in"};
  spec->splits.resize(1);
  spec->output = "/out";
  old.spec = spec;
  old.queue = "default";
  old.state = JobState::kRunning;
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 2;
  snapshot.jobs = {old};
  snapshot.trackers = {{.name = "tt1"}};
  h.start(snapshot);
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  EXPECT_TRUE(is_told_to_die(h, "tt1", kAttemptsPerEpoch + 5));
  FifoHarness again;
  again.start(snapshot);
  again.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  const AttemptReport known = forged(3);  // of the start before
  again.tracker("tt1").held.emplace(known.attempt, known);
  again.heartbeat("tt1");
  EXPECT_EQ(again.running("default"), 1);
}

TEST(EngineForged, TrackersAreToldAboutJobsThatTheyRunSomethingOf) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 0});
  h.submit({.maps = 1, .reduces = 1});
  h.heartbeat("tt1");
  const auto refused = [&h](auto question) {
    const auto replies = h.step(std::move(question));
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    return error != nullptr && error->code == ErrorCode::kNotPermitted;
  };
  using Names = std::vector<std::string>;
  for (const Names& askers : {Names{"tt1"}, Names{"tt1", "tt2"}}) {  // that share a connection
    EXPECT_FALSE(refused(DescribeJob{JobId(1), askers}));
    EXPECT_FALSE(refused(QueryMapOutputs{JobId(1), 0, askers}));
  }
  for (const Names& askers : {Names{"tt2"}, Names{"ghost"}, Names{}}) {
    EXPECT_TRUE(refused(DescribeJob{JobId(1), askers}));
    EXPECT_TRUE(refused(QueryMapOutputs{JobId(1), 0, askers}));
  }
}

RegisterTracker registration(const std::string& home, std::int64_t incarnation) {
  RegisterTracker made;
  made.name = "tt1";
  made.home = home;
  made.incarnation = incarnation;
  return made;
}

bool is_refused(FifoHarness& h, const RegisterTracker& tracker) {
  for (const Reply& reply : h.step(tracker)) {
    if (std::holds_alternative<Error>(reply.body)) return true;
  }
  return false;
}

TEST(EngineForged, ANameThatIsAliveIsNotTakenOver) {
  constexpr std::int64_t kNow = 1'763'000'000'000'000;
  FifoHarness h;
  ASSERT_FALSE(is_refused(h, registration("h1", kNow)));
  EXPECT_TRUE(is_refused(h, registration("", kNow + 1)));
  EXPECT_TRUE(is_refused(h, registration("h2", kNow + 1)));
  EXPECT_FALSE(is_refused(h, registration("h1", kNow + 1)));
  FifoHarness plain;  // of trackers that do not say where they live
  ASSERT_FALSE(is_refused(plain, registration("", kNow)));
  EXPECT_TRUE(is_refused(plain, registration("", INT64_MAX)));
  EXPECT_FALSE(is_refused(plain, registration("", kNow + 1'000'000)));
  FifoHarness counts;
  ASSERT_FALSE(is_refused(counts, registration("", 1)));
  EXPECT_FALSE(is_refused(counts, registration("", 3)));
}

TEST(EngineForged, WhoKnowsAnIncarnationMustHaveItsKey) {
  FifoHarness h;
  RegisterTracker own = registration("h1", 5);
  own.host = "own";
  own.key = "secret";
  ASSERT_FALSE(is_refused(h, own));
  RegisterTracker forged = own;
  forged.host = "forged";
  for (const char* key : {"", "guessed"}) {
    forged.key = key;
    EXPECT_TRUE(is_refused(h, forged)) << key;
  }
  forged = own;
  forged.home = "h2";
  EXPECT_TRUE(is_refused(h, forged));
  EXPECT_EQ(h.state().find_tracker("tt1")->host, "own");
  EXPECT_FALSE(is_refused(h, own));  // says so again, its answer was lost

  const auto is_unknown = [&h](const std::string& key) {
    Heartbeat report{.name = "tt1", .incarnation = 5, .key = key};
    report.sequence = h.state().find_tracker("tt1")->sequence + 1;
    const auto replies = h.step(report);
    const auto* error = std::get_if<Error>(&replies.at(0).body);
    return error != nullptr && error->code == ErrorCode::kUnknownTracker;
  };
  EXPECT_TRUE(is_unknown(""));
  EXPECT_TRUE(is_unknown("guessed"));
  EXPECT_FALSE(is_unknown("secret"));
}

// The name is free, what ran under it is not.
TEST(EngineForged, WhoTakesTheNameOfOneThatIsLostIsAnotherLife) {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.maps = 1});
  ASSERT_EQ(h.heartbeat("tt1"), "J1/m0");
  h.step(LoseTracker{"tt1"});
  RegisterTracker forged = registration("", h.tracker("tt1").incarnation);
  forged.key = "another";
  ASSERT_FALSE(is_refused(h, forged));
  EXPECT_TRUE(h.state().find_tracker("tt1")->lost_attempts.empty());
}

}  // namespace
}  // namespace weir::test
