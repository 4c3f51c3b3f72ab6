// Trackers with many faults leave the pool and come back.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"
#include "support/stored_snapshot.h"

namespace weir::test {
namespace {

constexpr DurationMs kHour = 3600 * 1000;

class FaultsHarness : public FifoHarness {
 public:
  FaultsHarness() {
    settings().tracker_faults = {.at_most = 2, .forget_after_ms = 24 * kHour};
    settings().heartbeat.expiry_ms = 1000 * kHour;
  }

  // A job of four maps that all fail once on `bad` and then succeed on `good`.
  void run_job(const std::string& bad, const std::string& good) {
    const std::uint32_t job = submit({.maps = 4, .max_attempts = 9});
    heartbeat(bad);
    for (int i = 0; i < 4; ++i) fail("J" + std::to_string(job) + "/m" + std::to_string(i));
    heartbeat(bad);
    end_on(job, good);
  }
  void end_on(std::uint32_t job, const std::string& good) {
    for (int i = 0; i < 8 && !is_over(state_of(job)); ++i) {
      heartbeat(good);
      finish_all(good);
    }
    EXPECT_EQ(state_of(job), JobState::kSucceeded);
  }
  bool in_pool(const std::string& name) { return state().find_tracker(name)->in_pool(); }
  void add_trackers(int count) {
    for (int i = 1; i <= count; ++i)
      add_tracker("tt" + std::to_string(i), {.map_slots = 4, .reduce_slots = 0});
  }
};

TEST(Faults, WithTooManyATrackerLeavesThePoolAndComesBackWhenTheyAreForgotten) {
  FaultsHarness h;
  h.add_trackers(3);
  h.run_job("tt1", "tt2");
  EXPECT_TRUE(h.in_pool("tt1"));
  h.advance(kHour);
  h.run_job("tt1", "tt2");
  EXPECT_FALSE(h.in_pool("tt1"));
  h.submit({.maps = 1});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.engine().back_at(*h.state().find_tracker("tt1")), h.now + 23 * kHour);
  h.advance(23 * kHour - 1);
  EXPECT_FALSE(h.in_pool("tt1"));
  h.advance(1);
  EXPECT_TRUE(h.in_pool("tt1"));
  EXPECT_EQ(h.heartbeat("tt1"), "J3/m0");
}

TEST(Faults, AJobThatFailsEverywhereIsNoFaultOfATracker) {
  FaultsHarness h;
  h.add_trackers(3);
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t job = h.submit({.maps = 4, .max_attempts = 9});
    h.heartbeat("tt1");
    for (int map = 0; map < 4; ++map)
      h.fail("J" + std::to_string(job) + "/m" + std::to_string(map));
    h.heartbeat("tt1");
    h.step(KillJob{{"user", {}}, JobId(job)});
    h.settle("tt1");
  }
  EXPECT_TRUE(h.in_pool("tt1"));
  EXPECT_THAT(h.events<TrackerFault>(), testing::IsEmpty());
}

TEST(Faults, AtMostHalfOfTheTrackersAreOut) {
  FaultsHarness h;
  h.settings().tracker_faults.at_most = 1;
  h.add_trackers(3);
  h.run_job("tt1", "tt3");
  h.run_job("tt2", "tt3");
  EXPECT_FALSE(h.in_pool("tt1"));
  EXPECT_TRUE(h.in_pool("tt2")) << "it would be the second of three";
  h.step(LoseTracker{"tt3"});
  EXPECT_FALSE(h.in_pool("tt1")) << "one of two";
  h.step(LoseTracker{"tt2"});
  EXPECT_TRUE(h.in_pool("tt1")) << "nobody else is left";
}

TEST(Faults, ARestartOrAnAdministratorForgives) {
  FaultsHarness h;
  h.settings().tracker_faults.at_most = 1;
  h.add_trackers(4);
  h.run_job("tt1", "tt3");
  h.run_job("tt2", "tt3");
  EXPECT_FALSE(h.in_pool("tt1"));
  EXPECT_FALSE(h.in_pool("tt2"));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  EXPECT_TRUE(h.in_pool("tt1"));
  EXPECT_EQ(h.events<TrackerForgiven>().size(), 1u);
  h.step(OrderTrackers{{"root", {}}, {"tt2"}, TrackerOrder::kNone});
  EXPECT_TRUE(h.in_pool("tt2"));
}

TEST(Faults, NewSettingsCountAtOnce) {
  FaultsHarness h;
  h.add_trackers(3);
  h.run_job("tt1", "tt2");
  auto settings = std::make_shared<Settings>(h.state().settings());
  settings->tracker_faults.at_most = 1;
  h.step(ApplySettings{{"root", {}}, settings});
  EXPECT_FALSE(h.in_pool("tt1"));
  settings = std::make_shared<Settings>(*settings);
  settings->tracker_faults.at_most.reset();
  h.step(ApplySettings{{"root", {}}, settings});
  EXPECT_TRUE(h.in_pool("tt1"));
}

TEST(Faults, TheySurviveARestartOfTheJobTracker) {
  FaultsHarness before;
  before.settings().tracker_faults.at_most = 1;
  before.add_trackers(3);
  before.run_job("tt1", "tt2");
  FaultsHarness h;
  h.settings().tracker_faults.at_most = 1;
  h.now = before.now + kHour;
  h.start(stored_snapshot(before.log));
  for (const char* name : {"tt1", "tt2", "tt3"}) {
    h.tracker(name) = before.tracker(name);
    h.connect(name);
  }
  EXPECT_FALSE(h.in_pool("tt1"));
  EXPECT_TRUE(h.in_pool("tt2"));
  h.advance(23 * kHour);
  EXPECT_TRUE(h.in_pool("tt1"));
}

}  // namespace
}  // namespace weir::test
