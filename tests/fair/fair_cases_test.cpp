// The worked cases of the original fair scheduler (its section C): what it assigned, call by call.
// Two trackers of 2 map and 2 reduce slots unless a case says otherwise.
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

struct Case : FairHarness {
  explicit Case(bool assign_multiple = false, int trackers = 2) : trackers_(trackers) {
    section->assign_multiple = assign_multiple;
  }
  // Once the settings are as the case wants them.
  void begin() {
    for (int i = 1; i <= trackers_; ++i) add_tracker("tt" + std::to_string(i));
  }
  int trackers_;
};

TEST(FairCases, C4SmallJobs) {
  Case c;
  c.begin();
  c.submit(2, 1);
  EXPECT_EQ(c.share(1), "2/1");
  c.advance(100);
  c.submit(1, 2);
  EXPECT_EQ(c.shares({1, 2}), "2/1 1/2");
  EXPECT_EQ(c.heartbeats("tt1", 4), "J1/m0; J1/r0; J2/m0; J2/r0");
  EXPECT_EQ(c.heartbeats("tt2", 3), "J1/m1; J2/r1; none");
  EXPECT_EQ(c.running_of(1), "2/1");
  EXPECT_EQ(c.running_of(2), "1/2");
}

TEST(FairCases, C5SmallJobsSeveralAtATime) {
  Case c(true);
  c.begin();
  c.submit(2, 1);
  c.advance(100);
  c.submit(1, 2);
  EXPECT_EQ(c.heartbeat("tt1"), "J1/m0 J1/r0 J2/m0 J2/r0");
  EXPECT_EQ(c.heartbeat("tt2"), "J1/m1 J2/r1");
  EXPECT_EQ(c.heartbeat("tt2"), "");
}

TEST(FairCases, C6LargeJobs) {
  Case c;
  c.begin();
  c.submit(10, 10);
  EXPECT_EQ(c.share(1), "4/4");
  c.advance(100);
  c.submit(10, 10);
  EXPECT_EQ(c.shares({1, 2}), "2/2 2/2");
  EXPECT_EQ(c.heartbeats("tt1", 4), "J1/m0; J1/r0; J2/m0; J2/r0");
  EXPECT_EQ(c.heartbeats("tt2", 5), "J1/m1; J1/r1; J2/m1; J2/r1; none");
  EXPECT_EQ(c.heartbeat("tt1"), "");
  EXPECT_EQ(c.running_of(1), "2/2");
  for (const char* tracker : {"tt1", "tt2"}) c.finish_all(tracker);
  c.advance(200);
  EXPECT_EQ(c.settle("tt1", 7), "J1/m2 J1/r2 J2/m2 J2/r2");
  EXPECT_EQ(c.settle("tt2", 7), "J1/m3 J1/r3 J2/m3 J2/r3");
  EXPECT_EQ(c.shares({1, 2}), "2/2 2/2");
}

TEST(FairCases, C7LargeJobsSeveralAtATime) {
  Case c(true);
  c.begin();
  c.submit(10, 10);
  c.advance(100);
  c.submit(10, 10);
  EXPECT_EQ(c.heartbeat("tt1"), "J1/m0 J1/r0 J2/m0 J2/r0");
  EXPECT_EQ(c.heartbeat("tt2"), "J1/m1 J1/r1 J2/m1 J2/r1");
  EXPECT_EQ(c.heartbeat("tt1"), "");
}

TEST(FairCases, C8Priorities) {
  Case c(false, 3);
  c.begin();
  c.submit(10, 10);
  c.submit(10, 10);
  c.step(SetPriority{{"user", {}}, JobId(2), Priority::kHigh});
  EXPECT_EQ(c.shares({1, 2}), "2/2 4/4");
  c.advance(100);
  EXPECT_EQ(c.heartbeats("tt1", 4), "J1/m0; J1/r0; J2/m0; J2/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J2/m1; J2/r1; J1/m1; J1/r1");
  EXPECT_EQ(c.heartbeats("tt3", 4), "J2/m2; J2/r2; J2/m3; J2/r3");
}

TEST(FairCases, C9LargeJobsWithPools) {
  Case c;
  c.section->pools = {pool("poolA", {.min_maps = 1, .min_reduces = 2}),
                      pool("poolB", {.min_maps = 2, .min_reduces = 1})};
  c.begin();
  c.submit(10, 10);
  EXPECT_EQ(c.share(1), "4/4");
  c.advance(200);
  c.submit(10, 10, "poolA");
  c.advance(100);
  c.submit(10, 10, "poolB");
  EXPECT_EQ(c.shares({1, 2, 3}), "1/1 1/2 2/1");
  c.advance(100);
  EXPECT_EQ(c.heartbeats("tt1", 4), "J2/m0; J2/r0; J3/m0; J3/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J3/m1; J2/r1; J1/m0; J1/r0");
}

void excess_capacity(Case& c) {
  c.section->pools = {pool("poolA", {.min_maps = 2, .min_reduces = 2})};
  c.begin();
  c.submit(10, 10);
  c.advance(200);
  c.submit(10, 10, "poolA");
  EXPECT_EQ(c.shares({1, 2}), "2/2 2/2");
  c.advance(100);
  c.submit(10, 10, "poolA");
  EXPECT_EQ(c.shares({1, 2, 3}), "2/2 1/1 1/1");
  c.advance(100);
}

TEST(FairCases, C10ExcessCapacity) {
  Case c;
  excess_capacity(c);
  EXPECT_EQ(c.heartbeats("tt1", 4), "J2/m0; J2/r0; J3/m0; J3/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J1/m0; J1/r0; J1/m1; J1/r1");
}

TEST(FairCases, C11ExcessCapacitySeveralAtATime) {
  Case c(true);
  excess_capacity(c);
  EXPECT_EQ(c.heartbeat("tt1"), "J2/m0 J2/r0 J3/m0 J3/r0");
  EXPECT_EQ(c.heartbeat("tt2"), "J1/m0 J1/r0 J1/m1 J1/r1");
}

TEST(FairCases, C12SmallJobInLargePool) {
  Case c;
  c.section->pools = {pool("poolA", {.min_maps = 4, .min_reduces = 4})};
  c.begin();
  c.submit(10, 10);
  c.submit(1, 1, "poolA");
  EXPECT_EQ(c.shares({1, 2}), "3/3 1/1");
  EXPECT_EQ(c.heartbeats("tt1", 4), "J2/m0; J2/r0; J1/m0; J1/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J1/m1; J1/r1; J1/m2; J1/r2");
}

TEST(FairCases, C17PoolWeights) {
  Case c;
  c.section->pools = {pool("poolA", {.weight_millionths = 2'000'000}),
                      pool("poolB", {.weight_millionths = 500'000})};
  c.begin();
  c.submit(10, 10);
  c.submit(10, 10, "poolA");
  c.submit(10, 10, "poolB");
  c.advance(10);
  EXPECT_EQ(c.shares({1, 2, 3}), "1.14/1.14 2.29/2.29 0.57/0.57");
  c.submit(10, 10, "poolB");
  c.advance(10);
  EXPECT_EQ(c.shares({1, 2, 3, 4}), "1.14/1.14 2.29/2.29 0.29/0.29 0.29/0.29");
}

TEST(FairCases, C18NoMaps) {
  Case c;
  c.section->pools = {pool("poolA", {.weight_millionths = 2'000'000}), pool("poolB")};
  c.begin();
  c.submit(0, 10, "poolA");
  c.submit(0, 10, "poolA");
  c.submit(10, 10, "poolB");
  c.advance(10);
  EXPECT_EQ(c.shares({1, 2, 3}), "0/1.33 0/1.33 4/1.33");
}

TEST(FairCases, C19MaxSlots) {
  Case c;
  c.section->pools = {pool("poolLimited", {.max_maps = 2, .max_reduces = 1})};
  c.begin();
  c.submit(10, 5, "poolLimited");
  c.advance(10);
  c.submit(10, 5);
  EXPECT_EQ(c.heartbeats("tt1", 4), "J2/m0; J2/r0; J1/m0; J1/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J2/m1; J2/r1; J1/m1; J2/r2");
  EXPECT_EQ(c.running_of(1), "2/1");
  EXPECT_EQ(c.running_of(2), "2/3");
  EXPECT_EQ(c.why(1), "pool_at_maximum pool_at_share");
}

TEST(FairCases, C32FifoPool) {
  Case c;
  c.section->pools = {pool("default")};
  c.section->pools[0].mode = PoolSettings::Mode::kFifo;
  c.begin();
  c.submit(1, 1);
  c.advance(10);
  c.submit(3, 3);
  c.advance(10);
  c.submit(1, 1, "", Priority::kHigh);
  c.advance(10);
  c.submit(3, 3);
  EXPECT_EQ(c.heartbeats("tt1", 4), "J3/m0; J3/r0; J1/m0; J1/r0");
  EXPECT_EQ(c.heartbeats("tt2", 4), "J2/m0; J2/r0; J2/m1; J2/r1");
  EXPECT_EQ(c.share(2), "0/0");
}

TEST(FairCases, C35PoolOfAJob) {
  Case c;
  c.begin();
  c.submit(1, 3);
  EXPECT_EQ(c.pool_text("default"), "1 0 1");
  c.submit(5, 7);
  EXPECT_EQ(c.pool_text("default", TaskKind::kReduce), "4 0 10");
  c.step(MoveJob{{"user", {}}, JobId(2), "poolA"});
  EXPECT_EQ(c.pool_figures("poolA").of[0].demand, 5);
  EXPECT_EQ(c.pool_figures("default").of[1].demand, 3);
  c.submit(11, 13, "root.poolA");
  c.submit(17, 19, "poolA");
  EXPECT_EQ(c.pool_figures("poolA").of[0].demand, 33);
  EXPECT_EQ(c.pool_figures("poolA").of[1].demand, 39);
}

}  // namespace
}  // namespace weir::test
