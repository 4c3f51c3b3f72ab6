// Calls on file systems that hang: others go on, and nobody waits for them at the end.
#include "tracker/tasktracker/output_work.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

namespace weir::tasktracker {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr milliseconds kLong{60'000};

struct Hanging {
  Hanging() : until(release.get_future().share()) {}
  ~Hanging() { release.set_value(); }
  std::function<void()> call() {
    return [until = until] { until.wait(); };
  }
  std::promise<void> release;
  std::shared_future<void> until;
};

TEST(OutputWork, OneThatHangsStopsNoOther) {
  Hanging hanging;
  OutputWork work;
  ASSERT_TRUE(work.begin("ann", "ending the output of job_0001", hanging.call()));
  for (int i = 0; i < 3; ++i) {
    std::promise<void> done;
    ASSERT_TRUE(work.begin("ann", "another", [] {}, [&done] { done.set_value(); }));
    EXPECT_EQ(done.get_future().wait_for(kLong), std::future_status::ready);
  }
  while (work.running() != std::vector<std::string>{"ending the output of job_0001"}) {
  }
}

void wait_until_running(const OutputWork& work, std::size_t calls) {
  while (work.running().size() != calls) {
  }
}

TEST(OutputWork, BehindCallsThatAllHangOnlyThatOfWhichNobodyIsToldIsTaken) {
  std::atomic<std::size_t> done = 0;
  OutputWork work(0);  // at once
  {
    Hanging hanging;
    for (std::size_t i = 0; i < OutputWork::kThreadsAlone; ++i)
      ASSERT_TRUE(work.begin("ann", "hangs", hanging.call()));
    EXPECT_EQ(work.running(), std::vector<std::string>(OutputWork::kThreadsAlone, "hangs"));
    EXPECT_FALSE(work.begin("ann", "one more", [] {}, [] {}));
    for (std::size_t i = 0; i < OutputWork::kMostWaiting; ++i)
      ASSERT_TRUE(work.begin("ann", "cleaning up", [&done] { ++done; }));
    EXPECT_FALSE(work.begin("ann", "cleaning up", [] {}));
  }
  EXPECT_TRUE(work.wait(kLong));
  EXPECT_EQ(done, OutputWork::kMostWaiting);
}

TEST(OutputWork, WhoseCallsHangStopsNobodyElse) {
  Hanging hanging;
  OutputWork work;
  for (std::size_t i = 0; i < 100; ++i)
    ASSERT_TRUE(work.begin("ann", "hangs", hanging.call(), [] {}));
  wait_until_running(work, OutputWork::kThreadsAlone);
  for (const char* user : {"bob", "carla", "dan"}) {
    std::promise<void> done;
    ASSERT_TRUE(work.begin(user, "short", [] {}, [&done] { done.set_value(); }));
    EXPECT_EQ(done.get_future().wait_for(kLong), std::future_status::ready);
    ASSERT_TRUE(work.begin(user, "hangs", hanging.call()));
  }
}

TEST(OutputWork, WhoHasMostOfTheThreadsLeavesSomeToEachThatComes) {
  Hanging hanging;
  OutputWork work;
  for (const auto& [user, all] : {std::pair{"ann", 8u}, {"bob", 12u}, {"carla", 14u}, {"dan", 15u},
                                  {"eve", 16u}}) {
    for (std::size_t i = 0; i < OutputWork::kThreads; ++i)
      ASSERT_TRUE(work.begin(user, "hangs", hanging.call()));
    wait_until_running(work, all);
  }
}

TEST(OutputWork, UsersTakeTurns) {
  Hanging hanging;
  OutputWork work;
  for (const auto& [user, calls] : {std::pair{"ann", 8}, {"bob", 4}, {"carla", 2}, {"dan", 1}}) {
    for (int i = 0; i < calls; ++i) ASSERT_TRUE(work.begin(user, "hangs", hanging.call()));
  }
  std::vector<std::string> order;  // one thread is left
  std::promise<void> done;
  {
    Hanging gate;
    ASSERT_TRUE(work.begin("eve", "waits", gate.call()));
    for (const char* each : {"f1", "f2", "f3"})
      ASSERT_TRUE(work.begin("frank", "short", [&order, each] { order.emplace_back(each); }));
    for (const char* each : {"g1", "g2"})
      ASSERT_TRUE(work.begin("grace", "short", [&order, each] { order.emplace_back(each); }));
    ASSERT_TRUE(work.begin("frank", "last", [] {}, [&done] { done.set_value(); }));
  }
  ASSERT_EQ(done.get_future().wait_for(kLong), std::future_status::ready);
  EXPECT_THAT(order, ElementsAre("f1", "g1", "f2", "g2", "f3"));
}

TEST(OutputWork, WhatFindsNoThreadWaitsForOne) {
  OutputWork work;
  std::atomic<int> done = 0;
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(work.begin("ann", "short", [&done] { ++done; }));
  EXPECT_TRUE(work.wait(kLong));
  EXPECT_EQ(done, 500);
}

TEST(OutputWork, NobodyWaitsForItAtTheEnd) {
  Hanging hanging;
  std::atomic<bool> told = false;
  {
    OutputWork work;
    ASSERT_TRUE(work.begin("ann", "hangs", hanging.call(), [&told] { told = true; }));
    EXPECT_FALSE(work.wait(milliseconds(1)));
    work.stop();
    EXPECT_FALSE(work.begin("ann", "late", [] {}));
  }
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace weir::tasktracker
