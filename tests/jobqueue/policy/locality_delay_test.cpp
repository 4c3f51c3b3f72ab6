// How long a job is passed over for a slot near its input, and what it learns from it.
#include "jobqueue/policy/locality_delay.h"

#include <gtest/gtest.h>

#include "support/fifo_harness.h"

namespace weir {
namespace {

using Mode = LocalityDelaySettings::Mode;

// One job whose maps lie on t1; the policy is fifo, so nothing else touches its wait.
struct LocalityDelayTest : testing::Test {
  LocalityDelayTest() {
    h.settings().heartbeat.interval_ms = 2000;
    h.add_tracker("t1");
    job = JobId(h.submit({.maps = 20, .locations = {{"host-t1"}}}));
  }
  LocalityDelay make(Mode mode, DurationMs node = 0, DurationMs rack = 0) {
    return {h.state(), memory, {.mode = mode, .node_ms = node, .rack_ms = rack}};
  }
  // A heartbeat that passes the job over.
  void pass(LocalityDelay& delay) {
    delay.begin(now);
    delay.passed(job);
    delay.end(now);
  }
  // One, `ms` later, in which it launches a map.
  void launch(LocalityDelay& delay, DurationMs ms, Locality level, bool located = true) {
    now += ms;
    delay.begin(now);
    delay.launched(job, level, located);
    delay.end(now);
  }
  // Waits that run out in vain, or end with a local slot.
  void wait_often(LocalityDelay& delay, int times, Locality end) {
    for (int i = 0; i < times; ++i) {
      pass(delay);
      launch(delay, 100, end);
      launch(delay, 0, Locality::kNode);  // stands at node level again
    }
  }
  Locality allowed_after(LocalityDelay& delay, DurationMs ms) {
    pass(delay);
    now += ms;
    delay.begin(now);
    const Locality allowed = delay.allowed(job, false);
    launch(delay, 0, Locality::kNode);
    return allowed;
  }

  test::FifoHarness h;
  PolicyMemory memory;
  JobId job;
  TimeMs now = 1000;
};

TEST_F(LocalityDelayTest, FixedDelaysAreWaitedOneAfterTheOther) {
  LocalityDelay delay = make(Mode::kFixed, 500, 300);
  EXPECT_EQ(allowed_after(delay, 499), Locality::kNode);
  EXPECT_EQ(allowed_after(delay, 500), Locality::kRack);
  EXPECT_EQ(allowed_after(delay, 799), Locality::kRack);
  EXPECT_EQ(allowed_after(delay, 800), Locality::kAny);
}

TEST_F(LocalityDelayTest, FromRackLevelOnlyTheRackDelayIsLeft) {
  LocalityDelay delay = make(Mode::kFixed, 500, 300);
  launch(delay, 0, Locality::kRack);
  EXPECT_EQ(delay.allowed(job, false), Locality::kRack);
  EXPECT_EQ(delay.left(job), 300);
  EXPECT_EQ(allowed_after(delay, 300), Locality::kAny);
  EXPECT_EQ(delay.left(job), 500) << "a local launch leads back to the first level";
}

TEST_F(LocalityDelayTest, WhoeverIsUrgentOrHasNoLocationsDoesNotWait) {
  LocalityDelay delay = make(Mode::kFixed, 500, 300);
  EXPECT_EQ(delay.allowed(job, true), Locality::kAny);
  const JobId nowhere(h.submit({.maps = 1}));
  EXPECT_EQ(delay.allowed(nowhere, false), Locality::kAny);
  EXPECT_EQ(make(Mode::kOff).allowed(job, false), Locality::kAny);
}

TEST_F(LocalityDelayTest, AMapWithoutLocationClearsTheWaitAndLeavesTheLevel) {
  LocalityDelay delay = make(Mode::kFixed, 500, 300);
  pass(delay);
  launch(delay, 400, Locality::kAny, false);
  EXPECT_EQ(delay.left(job), 500);
}

TEST_F(LocalityDelayTest, AutoIsOneAndAHalfHeartbeatsWithinBounds) {
  EXPECT_EQ(make(Mode::kAuto).left(job), 3000);
  test::FifoHarness quick;
  quick.settings().heartbeat.interval_ms = 300;
  quick.add_tracker("t1");
  const JobId first(quick.submit({.locations = {{"host-t1"}}}));
  EXPECT_EQ(LocalityDelay(quick.state(), memory, {.mode = Mode::kAuto}).left(first), 1000);
  test::FifoHarness slow;
  slow.settings().heartbeat.interval_ms = 30'000;
  slow.add_tracker("t1");
  const JobId other(slow.submit({.locations = {{"host-t1"}}}));
  EXPECT_EQ(LocalityDelay(slow.state(), memory, {.mode = Mode::kAuto}).left(other), 15'000);
}

TEST_F(LocalityDelayTest, AdaptiveWaitsLessWhereWaitingIsInVainAndRecovers) {
  LocalityDelay delay = make(Mode::kAdaptive);
  EXPECT_EQ(delay.left(job), 3000) << "as long as auto, at first";
  wait_often(delay, 1, Locality::kAny);
  EXPECT_EQ(delay.left(job), 1500);
  wait_often(delay, 10, Locality::kRack);
  EXPECT_EQ(delay.left(job), 3000 / 16) << "never nothing: else it could not learn any more";
  wait_often(delay, 1, Locality::kNode);
  EXPECT_EQ(delay.left(job), 2 * 3000 / 16);
  wait_often(delay, 10, Locality::kNode);
  EXPECT_EQ(delay.left(job), 3000);
}

TEST_F(LocalityDelayTest, AdaptiveJobsBeginWithWhatOthersHaveLearnt) {
  LocalityDelay delay = make(Mode::kAdaptive);
  wait_often(delay, 2, Locality::kAny);
  const JobId next(h.submit({.maps = 1, .locations = {{"host-t1"}}}));
  EXPECT_EQ(delay.left(next), 750);
}

TEST_F(LocalityDelayTest, WhoWasPassedOverIsKnownToItsSuccessor) {
  LocalityDelay delay = make(Mode::kFixed, 500, 300);
  pass(delay);
  LocalityDelay after_a_switch = make(Mode::kFixed, 500, 300);
  now += 500;
  after_a_switch.begin(now);
  EXPECT_EQ(after_a_switch.allowed(job, false), Locality::kRack);
}

}  // namespace
}  // namespace weir
