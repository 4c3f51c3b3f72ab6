// Calls on file systems that hang: others go on, and nobody waits for them at the end.
#include "tracker/tasktracker/output_work.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

namespace weir::tasktracker {
namespace {

using std::chrono::milliseconds;
using testing::Contains;

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
  ASSERT_TRUE(work.begin("ending the output of job_0001", hanging.call()));
  for (int i = 0; i < 3; ++i) {
    std::promise<void> done;
    ASSERT_TRUE(work.begin("another", [] {}, [&done] { done.set_value(); }));
    EXPECT_EQ(done.get_future().wait_for(kLong), std::future_status::ready);
  }
  while (work.running() != std::vector<std::string>{"ending the output of job_0001"}) {
  }
}

TEST(OutputWork, BehindCallsThatAllHangOnlyThatOfWhichNobodyIsToldIsTaken) {
  std::atomic<std::size_t> done = 0;
  OutputWork work(0);  // at once
  {
    Hanging hanging;
    for (std::size_t i = 0; i < OutputWork::kThreads; ++i)
      ASSERT_TRUE(work.begin("hangs", hanging.call()));
    while (work.running() != std::vector<std::string>(OutputWork::kThreads, "hangs")) {
    }
    EXPECT_FALSE(work.begin("one more", [] {}, [] {}));
    for (std::size_t i = 0; i < OutputWork::kMostWaiting; ++i)
      ASSERT_TRUE(work.begin("cleaning up", [&done] { ++done; }));
    EXPECT_FALSE(work.begin("cleaning up", [] {}));
  }
  EXPECT_TRUE(work.wait(kLong));
  EXPECT_EQ(done, OutputWork::kMostWaiting);
}

TEST(OutputWork, WhatFindsNoThreadWaitsForOne) {
  OutputWork work;
  std::atomic<int> done = 0;
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(work.begin("short", [&done] { ++done; }));
  EXPECT_TRUE(work.wait(kLong));
  EXPECT_EQ(done, 500);
}

TEST(OutputWork, NobodyWaitsForItAtTheEnd) {
  Hanging hanging;
  std::atomic<bool> told = false;
  {
    OutputWork work;
    ASSERT_TRUE(work.begin("hangs", hanging.call(), [&told] { told = true; }));
    EXPECT_FALSE(work.wait(milliseconds(1)));
    work.stop();
    EXPECT_FALSE(work.begin("late", [] {}));
  }
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace weir::tasktracker
