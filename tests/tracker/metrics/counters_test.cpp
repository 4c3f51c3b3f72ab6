// What is counted, and by which name.
#include <gtest/gtest.h>

#include <thread>

#include "tracker/metrics/call_counters.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

TEST(Histogram, CountsByTheSmallestBoundThatIsNotBelow) {
  static constexpr double kBounds[] = {1, 2, 5};
  Histogram histogram(kBounds);
  for (const double value : {0.5, 1.0, 1.5, 5.0, 7.0}) histogram.observe(value);
  EXPECT_EQ(histogram.count(0), 2);
  EXPECT_EQ(histogram.count(1), 1);
  EXPECT_EQ(histogram.count(2), 1);
  EXPECT_EQ(histogram.count(3), 1);
  EXPECT_DOUBLE_EQ(histogram.sum(), 15);
}

TEST(CallCounters, GoByMethodAndCode) {
  CallCounters calls;
  calls.add("submit", 0, milliseconds(1));
  calls.add("submit", 11, milliseconds(1));
  calls.add("kill_job", 0, milliseconds(1));
  const auto methods = calls.methods();
  ASSERT_EQ(methods.size(), 2u);
  EXPECT_EQ(methods[0]->name, "kill_job");
  EXPECT_EQ(methods[1]->codes[11].get(), 1);
  EXPECT_NEAR(methods[1]->seconds.sum(), 0.002, 1e-9);
  calls.add("submit", 4'000'000, milliseconds(1));  // no code of ours
  EXPECT_EQ(methods[1]->codes[CallCounters::kFault].get(), 1);
}

TEST(CallCounters, AreBoundedAndLoseNone) {
  CallCounters calls;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1'000; ++i) calls.add("method" + std::to_string(i), 0, milliseconds(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t sum = 0;
  for (const auto* method : calls.methods()) sum += method->codes[0].get();
  EXPECT_EQ(sum, 4'000);
  EXPECT_LE(calls.methods().size(), CallCounters::kMost + 1);
}

}  // namespace
}  // namespace weir
