// The arithmetic on numbers alone: worked cases first, then properties over random families. The
// random numbers come from a fixed seed, so a failure repeats.
#include "capacity/capacity_arithmetic.h"
#include "jobqueue/policy/user_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace weir {
namespace {

using By = CapacitySettings::RedistributeBy;
using ::testing::ElementsAre;
using Slots = std::vector<std::int64_t>;

std::int64_t sum(const Slots& v) {
  return std::accumulate(v.begin(), v.end(), std::int64_t{0});
}

TEST(WaterFill, WhatOneCannotTakeGoesRoundAgain) {
  EXPECT_THAT(water_fill(10, {{2, 1}, {100, 1}}), ElementsAre(2, 8));
  EXPECT_THAT(water_fill(10, {{100, 3}, {100, 1}}), ElementsAre(8, 2));  // 7.5 and 2.5
  EXPECT_THAT(water_fill(10, {{1, 5}, {3, 1}, {100, 1}}), ElementsAre(1, 3, 6));
  EXPECT_THAT(water_fill(10, {{1, 1}, {2, 1}}), ElementsAre(1, 2));
}

TEST(WaterFill, AHigherRankIsServedFromWhatLowerRanksLeave) {
  EXPECT_THAT(water_fill(10, {{8, 1, 1}, {4, 1, 0}}), ElementsAre(6, 4));
  EXPECT_THAT(water_fill(3, {{8, 1, 1}, {4, 1, 0}}), ElementsAre(0, 3));
}

TEST(Allocate, TheThreeWaysOfRedistribution) {
  // GC, DEM, g, jobs: the first lends 40, the others want it.
  const std::vector<QueueNeed> queues = {{50, 10, 50, 1}, {30, 90, 30, 1}, {20, 40, 20, 3}};
  EXPECT_THAT(allocate(100, queues, By::kGuaranteed), ElementsAre(10, 54, 36));
  EXPECT_THAT(allocate(100, queues, By::kWaitingJobs), ElementsAre(10, 50, 40));
  EXPECT_THAT(allocate(100, queues, By::kDemand), ElementsAre(10, 60, 30));
}

TEST(Allocate, WhatNobodyWantsStaysWithItsOwnersInProportionToTheirExcess) {
  const std::vector<QueueNeed> queues = {{40, 10, 40, 0}, {20, 5, 20, 0}, {40, 50, 40, 1}};
  // 45 is left, the third takes 10, 35 goes back in the ratio 30 to 15: 23.33 and 11.67.
  EXPECT_THAT(allocate(100, queues, By::kGuaranteed), ElementsAre(33, 17, 50));
}

TEST(Allocate, AQueueGuaranteedNothingTakesOnlyWhatTheOthersLeave) {
  const std::vector<QueueNeed> queues = {{60, 0, 60, 0}, {40, 70, 40, 2}, {0, 50, 0, 9}};
  for (const By by : {By::kGuaranteed, By::kWaitingJobs, By::kDemand}) {
    EXPECT_THAT(allocate(100, queues, by), ElementsAre(0, 70, 30));
  }
}

TEST(Allocate, WithoutWaitingJobsAQueueComesAfterTheOthersButBeforeThoseGuaranteedNothing) {
  const std::vector<QueueNeed> queues = {
      {40, 0, 40, 0}, {30, 50, 30, 2}, {30, 60, 30, 0}, {0, 50, 0, 9}};
  EXPECT_THAT(allocate(100, queues, By::kWaitingJobs), ElementsAre(0, 50, 50, 0));
}

TEST(Allocate, AQueueWhoseDemandReturnsHasItsGuaranteeBackAtOnce) {
  std::vector<QueueNeed> queues = {{60, 0, 60, 0}, {40, 100, 40, 1}};
  EXPECT_THAT(allocate(100, queues, By::kGuaranteed), ElementsAre(0, 100));
  queues[0].demand = 60;
  EXPECT_THAT(allocate(100, queues, By::kGuaranteed), ElementsAre(60, 40));
}

TEST(UserLimit, IsAnEqualPartOrTheMinimumWhicheverIsMore) {
  UserLimit limit;
  limit.minimum_hundredths = 2500;
  const auto of = [&](std::int64_t users, std::int64_t running, std::int64_t need = 1) {
    return user_limit_slots(limit, {.guaranteed = 10,
                                    .allocated = 12,
                                    .running = running,
                                    .need = need,
                                    .active_users = users});
  };
  EXPECT_EQ(of(1, 0), 12);
  EXPECT_EQ(of(2, 0), 6);
  EXPECT_EQ(of(5, 0), 3);  // 2.4 each, but a quarter of 12 is 3
  EXPECT_EQ(of(9, 0), 3);
  EXPECT_EQ(of(2, 19), 10);   // RUN + need counts once it is above AC
  EXPECT_EQ(of(9, 0, 7), 7);  // one task is always allowed
  limit.factor_millionths = 500000;
  EXPECT_EQ(of(1, 0), 5);  // half of GC
  limit.factor_millionths = 1;
  EXPECT_EQ(of(1, 0), 1);
}

// --- Properties over random families ---

struct Family {
  std::int64_t total = 0;
  Slots maximum;
  std::vector<QueueNeed> queues;
};

Family random_family(std::mt19937& random) {
  const auto upto = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random);
  };
  Family family;
  family.total = upto(upto(3) == 0 ? 100000 : 40);
  Slots weights;
  for (std::int64_t n = 1 + upto(7); n > 0; --n) weights.push_back(upto(3) == 0 ? 0 : upto(5000));
  if (sum(weights) == 0) weights.assign(weights.size(), 1);
  const auto guaranteed = largest_remainder(family.total, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t max =
        maximum_slots(upto(1) == 0 ? 10000 : upto(10000), family.total, guaranteed[i]);
    family.maximum.push_back(max);
    const std::int64_t demand = std::min(max, upto(2) == 0 ? 0 : upto(2 * family.total + 2));
    family.queues.push_back({guaranteed[i], demand, weights[i], upto(4)});
  }
  return family;
}

TEST(AllocateProperties, SumsAreExactAndBoundsHold) {
  std::mt19937 random(20080305);
  for (int round = 0; round < 20000; ++round) {
    const Family f = random_family(random);
    for (const By by : {By::kGuaranteed, By::kWaitingJobs, By::kDemand}) {
      const auto ac = allocate(f.total, f.queues, by);
      ASSERT_EQ(sum(ac), f.total) << "round " << round;
      std::int64_t wanting = 0, idle = 0;
      for (std::size_t i = 0; i < ac.size(); ++i) {
        const QueueNeed& q = f.queues[i];
        ASSERT_GE(ac[i], std::min(q.guaranteed, q.demand)) << "round " << round;
        ASSERT_LE(ac[i], std::max(f.maximum[i], q.guaranteed)) << "round " << round;
        ASSERT_LE(ac[i], std::max(q.demand, q.guaranteed)) << "round " << round;
        wanting += std::max<std::int64_t>(q.demand - ac[i], 0);
        idle += std::max<std::int64_t>(ac[i] - q.demand, 0);
      }
      ASSERT_TRUE(wanting == 0 || idle == 0) << "nothing is kept that another wants, " << round;
    }
  }
}

TEST(AllocateProperties, WantingMoreNeverGivesLess) {
  std::mt19937 random(20080306);
  for (int round = 0; round < 20000; ++round) {
    Family f = random_family(random);
    const std::size_t who =
        std::uniform_int_distribution<std::size_t>(0, f.queues.size() - 1)(random);
    for (const By by : {By::kGuaranteed, By::kWaitingJobs}) {
      const auto before = allocate(f.total, f.queues, by);
      QueueNeed& q = f.queues[who];
      const std::int64_t demand = q.demand;
      if (q.demand < f.maximum[who]) ++q.demand;
      const auto after = allocate(f.total, f.queues, by);
      q.demand = demand;
      if (before[who] > demand) continue;  // it had more than it wanted, which may now go elsewhere
      ASSERT_GE(after[who], before[who]) << "round " << round;
    }
  }
}

// The level that water-filling reaches, found another way: by trying every queue as the first that
// is not full.
TEST(WaterFillProperties, IsTheRoundedRealFilling) {
  std::mt19937 random(20080307);
  const auto upto = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random);
  };
  for (int round = 0; round < 20000; ++round) {
    std::vector<Taker> takers;
    for (std::int64_t n = 1 + upto(6); n > 0; --n) takers.push_back({upto(30), 1 + upto(20)});
    std::int64_t caps = 0;
    for (const Taker& t : takers) caps += t.cap;
    const std::int64_t amount = upto(caps + 5);
    const auto filled = water_fill(amount, takers);
    ASSERT_EQ(sum(filled), std::min(amount, caps));
    if (amount >= caps) continue;
    // level = num / den, with num = amount - caps of the full, den = weights of the others.
    Int128 num = 0, den = 0;
    for (const Taker& split : takers) {
      Int128 n = amount, d = 0;
      for (const Taker& t : takers) {
        const bool full = Int128(t.cap) * split.weight < Int128(split.cap) * t.weight;
        if (full) n -= t.cap;
        if (!full) d += t.weight;
      }
      // The largest split whose level does not fill it.
      if (n >= 0 && n * split.weight <= Int128(split.cap) * d && (den == 0 || n * den > num * d)) {
        num = n;
        den = d;
      }
    }
    ASSERT_GT(den, 0);
    for (std::size_t i = 0; i < takers.size(); ++i) {
      const Int128 real_times_den =
          std::min<Int128>(Int128(takers[i].cap) * den, num * takers[i].weight);
      ASSERT_LT(filled[i] * den - real_times_den, den) << "round " << round << " queue " << i;
      ASSERT_GT(filled[i] * den - real_times_den, -den) << "round " << round << " queue " << i;
    }
  }
}

}  // namespace
}  // namespace weir
