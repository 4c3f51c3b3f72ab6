// The last duty of a job goes to another tracker when it takes too long, and whoever is done first
// ends it.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;

class EngineDuties : public testing::Test {
 protected:
  // J1 is done but for its last duty, which tt1 has.
  void SetUp() override {
    h.settings().heartbeat.expiry_ms = 3'600'000;
    h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
    h.add_tracker("tt2", {.map_slots = 0, .reduce_slots = 0});
    h.submit({.maps = 1});
    h.heartbeat("tt1");
    h.finish("J1/m0");
    h.heartbeat("tt1");
    h.heartbeat("tt1");
    ASSERT_EQ(duties("tt1"), 1u);
  }
  std::size_t duties(const std::string& tracker) { return h.tracker(tracker).last.duties.size(); }
  // It is at it, and says nothing of it.
  void silent_heartbeat(const std::string& tracker) {
    h.tracker(tracker).duties.clear();
    h.heartbeat(tracker);
  }
  void pass_on() {
    h.tracker("tt1").duties.clear();
    h.advance(60'000);
    h.heartbeat("tt2");
    ASSERT_EQ(duties("tt2"), 1u);
  }

  FifoHarness h;
};

TEST_F(EngineDuties, OneThatHangsIsAnothersAfterAMinuteAndSaysWhy) {
  h.tracker("tt1").duties.clear();
  h.advance(59'999);
  h.heartbeat("tt2");
  EXPECT_EQ(duties("tt2"), 0u);
  h.advance(1);
  h.heartbeat("tt2");
  EXPECT_EQ(duties("tt2"), 1u);
  silent_heartbeat("tt1");
  EXPECT_EQ(duties("tt1"), 0u);
  const auto reasons = h.engine().explain(JobId(1));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0].message,
            "all tasks are done; tracker tt2 is publishing the output directory; tracker tt1 takes "
            "longer than 1m");
  ASSERT_EQ(h.events<DutyPassedOn>().size(), 1u);
  EXPECT_EQ(h.events<DutyPassedOn>()[0].why, "tracker tt1 takes longer than 1m");
  h.heartbeat("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST_F(EngineDuties, TheFirstThatIsDoneEndsIt) {
  pass_on();
  h.tracker("tt1").duties = {{JobId(1), true, "", true}};
  h.heartbeat("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
  h.heartbeat("tt2");  // done as well: nobody asks any more
  EXPECT_EQ(duties("tt2"), 0u);
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST_F(EngineDuties, TheFirstOnesFailureIsNotTheSecondOnes) {
  pass_on();
  h.tracker("tt1").duties = {{JobId(1), false, "I/O error", true}};
  h.heartbeat("tt1");
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  h.heartbeat("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST_F(EngineDuties, WhoNeverHadItDoesNotEndIt) {
  h.tracker("tt2").duties = {{JobId(1), true, "", true}};
  h.heartbeat("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
}

TEST_F(EngineDuties, OneThatCannotBeBegunIsNoFailure) {
  h.tracker("tt1").duties = {{JobId(1), false, "too many calls on outputs hang", true, true}};
  h.heartbeat("tt1");
  EXPECT_EQ(duties("tt1"), 0u);  // others first
  EXPECT_EQ(h.state_of(1), JobState::kRunning);
  h.heartbeat("tt2");
  ASSERT_EQ(duties("tt2"), 1u);
  h.heartbeat("tt2");
  EXPECT_EQ(h.state_of(1), JobState::kSucceeded);
}

TEST_F(EngineDuties, TheOnlyTrackerIsAskedAgain) {
  h.step(LoseTracker{"tt2"});
  h.tracker("tt1").duties.clear();
  h.advance(60'000);
  h.heartbeat("tt1");
  EXPECT_EQ(duties("tt1"), 0u);
  silent_heartbeat("tt1");
  EXPECT_EQ(duties("tt1"), 0u);
  h.advance(60'000);
  silent_heartbeat("tt1");
  EXPECT_EQ(duties("tt1"), 1u);
}

TEST_F(EngineDuties, SaysHowManyFilesMayStandThere) {
  EXPECT_EQ(h.tracker("tt1").last.duties[0].parts, 1);
  h.submit({.maps = 1, .reduces = 3});
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(2)});
  h.heartbeat("tt1");
  h.settle("tt1", 1);
  for (const Duty& duty : h.tracker("tt1").last.duties) {
    EXPECT_EQ(duty.parts, duty.job == JobId(2) ? 3 : 1);
  }
}

// --- Users share the trackers' time ---

class SharedDuties : public testing::Test {
 protected:
  void SetUp() override {
    h.settings().heartbeat.expiry_ms = 3'600'000;
    h.add_tracker("tt1", {.map_slots = 100, .reduce_slots = 0});
  }
  // So many jobs of the user's, done but for their last duties.
  void done_jobs(const std::string& user, int jobs) {
    for (int i = 0; i < jobs; ++i) h.submit({.user = user, .maps = 1});
    beat();
    h.finish_all("tt1");
    for (int i = 0; i < 3; ++i) beat();  // grants, then ends
  }
  // It is at its duties, and says nothing of them.
  void beat() {
    h.tracker("tt1").duties.clear();
    h.heartbeat("tt1");
  }
  std::vector<std::string> users() {
    std::vector<std::string> found;
    for (const Duty& duty : h.tracker("tt1").last.duties) found.push_back(duty.user);
    return found;
  }
  std::vector<std::uint32_t> jobs() {
    std::vector<std::uint32_t> found;
    for (const Duty& duty : h.tracker("tt1").last.duties) found.push_back(duty.job.value);
    return found;
  }

  FifoHarness h;
};

TEST_F(SharedDuties, WhoseDutiesHangStopsNobodyElse) {
  done_jobs("ann", 24);
  EXPECT_THAT(users(), SizeIs(8));
  done_jobs("bob", 1);
  EXPECT_THAT(users(), Contains("bob"));
  h.heartbeat("tt1");  // all that it has told of is done
  EXPECT_EQ(h.state_of(25), JobState::kSucceeded);
}

TEST_F(SharedDuties, WhoHasMostOfATrackersDutiesLeavesSomeToEachThatComes) {
  for (const auto& [user, all] : {std::pair{"ann", 8u}, {"bob", 12u}, {"carla", 14u}, {"dan", 15u},
                                  {"eve", 16u}}) {
    done_jobs(user, 10);
    EXPECT_THAT(users(), SizeIs(all)) << user;
  }
}

TEST_F(SharedDuties, UsersTakeTurns) {
  for (const char* user : {"ann", "bob"}) {
    for (int i = 0; i < 8; ++i) h.submit({.user = user, .maps = 1});
  }
  beat();
  h.finish_all("tt1");
  for (int i = 0; i < 3; ++i) beat();
  EXPECT_THAT(users(), ElementsAre("ann", "bob", "ann", "bob", "ann", "bob", "ann", "bob", "ann",
                                   "bob", "ann"));
}

TEST_F(SharedDuties, WhatWasPassedOnGoesBehindWhatNobodyHasTried) {
  done_jobs("ann", 10);
  EXPECT_THAT(jobs(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  h.advance(60'000);
  h.submit({.user = "ann", .maps = 1});
  beat();
  EXPECT_THAT(jobs(), ElementsAre(9, 10));
  h.finish_all("tt1");
  beat();  // it may publish
  h.advance(60'000);
  beat();  // it has, and the first ones may be tried again
  EXPECT_THAT(jobs(), ElementsAre(11, 1, 2, 3, 4, 5, 6, 7));
}

}  // namespace
}  // namespace weir::test
