// What is counted, and by which name.
#include <gtest/gtest.h>

#include <thread>

#include "tracker/metrics/call_counters.h"
#include "tracker/metrics/http_times.h"

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

TEST(HttpTimes, GoByRouteAndStatusAndHaveNoOtherSeries) {
  HttpTimes times(std::vector<HttpTimes::Route>{{"GET", "/jobs"}, {"any", "pages"}});
  const auto counted = [&times] {
    std::vector<std::string> all;
    times.each([&](const HttpTimes::Route& route, const std::string& code, const Histogram& of) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i <= of.size(); ++i) count += of.count(i);
      all.push_back(route.method + " " + route.path + " " + code + " " + std::to_string(count));
    });
    return all;
  };
  EXPECT_TRUE(counted().empty());
  times.add(0, 200, milliseconds(3));
  times.add(0, 200, milliseconds(1));
  times.add(0, 404, milliseconds(1));
  times.add(1, 418, milliseconds(1));  // no status of ours
  times.add(1, 599, milliseconds(1));
  EXPECT_EQ(counted(),
            (std::vector<std::string>{"GET /jobs 200 2", "GET /jobs 404 1", "any pages other 2"}));
}

TEST(HttpTimes, LoseNoneWhenManyAreFirst) {
  HttpTimes times(std::vector<HttpTimes::Route>{{"GET", "/jobs"}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&times] {
      for (int i = 0; i < 1'000; ++i) times.add(0, 200 + i % 2, milliseconds(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  times.each([&](const auto&, const char*, const Histogram& of) { sum += of.sum(); });
  EXPECT_NEAR(sum, 4, 1e-6);
}

}  // namespace
}  // namespace weir
