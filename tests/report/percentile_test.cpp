#include "report/percentile.h"

#include <gtest/gtest.h>

#include <numeric>

namespace weir::report {
namespace {

TEST(Percentile, IsTheLeastThatSoManyDoNotExceed) {
  EXPECT_EQ(percentile(std::vector<int>{}, 50), 0);
  EXPECT_EQ(percentile(std::vector{7}, 1), 7);
  EXPECT_EQ(percentile(std::vector{7}, 99), 7);
  EXPECT_EQ(percentile(std::vector{1, 2}, 50), 1);
  EXPECT_EQ(percentile(std::vector{1, 2, 3}, 50), 2);
  std::vector<int> hundred(100);
  std::iota(hundred.begin(), hundred.end(), 1);
  EXPECT_EQ(percentile(hundred, 99), 99);
  EXPECT_EQ(percentile(hundred, 100), 100);
  EXPECT_EQ(percentile(hundred, 0), 1);
}

}  // namespace
}  // namespace weir::report
