#include "jobqueue/policy/container_bounds.h"

#include <gtest/gtest.h>

#include <random>

namespace weir {
namespace {

class CoarseRandom : public testing::Test {
 protected:
  // Of every size up to `bits`.
  std::int64_t number(int bits) {
    return static_cast<std::int64_t>(random_() >> (64 - 1 - random_() % bits));
  }

 private:
  std::mt19937_64 random_{1};
};

TEST_F(CoarseRandom, ItOrdersAsFractionsDo) {
  int told_apart = 0, differ = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const int bits = i % 2 == 0 ? 10 : 60;
    Fraction a{number(bits), number(bits)}, b{number(bits), number(bits)};
    if (i % 5 == 0) b.whole = a.whole;
    if (i % 7 == 0) b = {a.part + 1, a.whole + 1};
    if (a.whole == 0) a.part += 1;  // no key is 0/0
    if (b.whole == 0) b.part += 1;
    ASSERT_LT(coarse(a), std::uint64_t{1} << 60);
    if (coarse(a) < coarse(b)) {
      ASSERT_LT(a, b) << a.part << "/" << a.whole << ", " << b.part << "/" << b.whole;
      ++told_apart;
    }
    if (a < b) ++differ;
  }
  EXPECT_GT(told_apart, differ * 9 / 10);
}

TEST(Coarse, WhatIsOfNothingComesLast) {
  EXPECT_EQ(coarse_quotient(0, 5), 0u);
  EXPECT_EQ(coarse_quotient(5, 5), std::uint64_t{1} << 32);
  EXPECT_EQ(coarse_quotient(1, 0), (std::uint64_t{1} << 60) - 1);
  EXPECT_EQ(coarse_quotient(INT64_MAX, 1), (std::uint64_t{1} << 60) - 1);
}

}  // namespace
}  // namespace weir
