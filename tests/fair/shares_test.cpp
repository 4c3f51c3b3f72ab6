// The share computation: worked cases of the original (its section A), the example of the
// multi-user paper, and properties over fixed seeds.
#include "fair/shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "lab/kit/seeds.h"

namespace weir {
namespace {

using Claimants = std::vector<ShareClaimant>;

std::vector<Share> in_slots(std::vector<std::int64_t> slots) {
  for (std::int64_t& s : slots) s = share_of_slots(s);
  return slots;
}

void expect_near(const std::vector<Share>& shares, const std::vector<Share>& expected) {
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(shares[i]), static_cast<double>(expected[i]), 10) << i;
  }
}

Share sum_of(const std::vector<Share>& shares) {
  Share sum = 0;
  for (const Share s : shares) sum += s;
  return sum;
}

TEST(FairShares, WorkedCases) {
  const auto deal = [](std::int64_t slots, const Claimants& claimants) {
    return fair_shares(share_of_slots(slots), claimants);
  };
  EXPECT_EQ(deal(40, {{100}, {50}, {30}, {20}}), in_slots({10, 10, 10, 10}));
  EXPECT_EQ(deal(40, {{100}, {50}, {11}, {3}}), in_slots({13, 13, 11, 3}));
  EXPECT_EQ(deal(40, {{100, 20}, {10, 20}, {10}, {3, 2}}), in_slots({20, 10, 7, 3}));
  EXPECT_EQ(deal(45, {{10, 0, 4}, {11, 0, 2}, {30, 0, 2}, {20, 0, 1}}), in_slots({10, 11, 16, 8}));
  EXPECT_EQ(deal(30, {{100}, {50}, {30}, {0}}), in_slots({10, 10, 10, 0}));
  EXPECT_EQ(deal(100, {{46, 50}, {18, 10}, {28, 25}, {16, 15}}), in_slots({46, 14, 25, 15}));
  EXPECT_EQ(deal(10, {}), in_slots({}));
  EXPECT_EQ(deal(0, {{5, 3}, {2}}), in_slots({0, 0}));
  EXPECT_EQ(deal(10, {{5, 0, 1, 2}, {20}}), in_slots({2, 8}));
}

TEST(FairShares, WhoHasNoWeightGetsHisMinimumAndNoMore) {
  EXPECT_EQ(fair_shares(share_of_slots(10), {{20, 0, 1}, {20, 1, 0}}), in_slots({9, 1}));
}

TEST(FairShares, MinimumsOverTheTotalAreScaledDownInProportion) {
  // Scaled from what was promised, also where that alone is more than there is.
  EXPECT_EQ(fair_shares(share_of_slots(4), {{10, 6}, {2, 6}}), in_slots({3, 1}));
  // min(m, d) of 30, 10 and 20 for 30 slots: a half of each, and nothing for the one without.
  expect_near(fair_shares(share_of_slots(30), {{30, 50}, {90, 10}, {20, 20}, {7}}),
              in_slots({15, 5, 10, 0}));
}

TEST(FairShares, AShareOfTwoIsTwo) {
  EXPECT_EQ(fair_shares(share_of_slots(6), {{10}, {10}, {10}}), in_slots({2, 2, 2}));
  const auto thirds = fair_shares(share_of_slots(8), {{10}, {10}, {10}});
  EXPECT_EQ(thirds[0], 2'666'666'666);
  EXPECT_EQ(thirds[0], thirds[2]);
}

class RandomClaimants {
 public:
  explicit RandomClaimants(unsigned seed) : random_(seed) {}
  std::int64_t upto(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random_);
  }
  Claimants make(std::int64_t scale) {
    Claimants claimants;
    const std::int64_t count = 1 + upto(40);
    for (std::int64_t i = 0; i < count; ++i) {
      ShareClaimant c{.demand = upto(scale), .weight = 1 + upto(4'000'000)};
      if (upto(2) == 0) c.minimum = upto(scale / 4 + 1);
      if (upto(4) == 0) c.maximum = c.minimum + upto(scale);
      if (upto(20) == 0) c.weight = std::int64_t{1} << upto(62);
      claimants.push_back(c);
    }
    return claimants;
  }
  std::mt19937 random_;
};

// What all may have: the total, or all that is wanted.
void check_properties(Share total, const Claimants& claimants) {
  const std::vector<Share> shares = fair_shares(total, claimants);
  Int128 wanted = 0;
  for (std::size_t i = 0; i < claimants.size(); ++i) {
    const Int128 most = Int128(std::min(claimants[i].demand, claimants[i].maximum)) * kWholeSlot;
    wanted += most;
    ASSERT_GE(shares[i], 0);
    ASSERT_LE(Int128(shares[i]), most);
  }
  const Int128 due = std::min<Int128>(total, wanted);
  ASSERT_LE(Int128(sum_of(shares)), due);
  ASSERT_GT(Int128(sum_of(shares)), due - static_cast<int>(claimants.size()));
}

TEST(FairShares, SumsAreExactAndNobodyGetsMoreThanHeWants) {
  for (unsigned seed = 1; seed <= some_seeds(3000) && !testing::Test::HasFailure(); ++seed) {
    RandomClaimants random(seed);
    const Claimants claimants = random.make(seed % 3 == 0 ? 40'000'000 : 60);
    SCOPED_TRACE(seed);
    check_properties(random.upto(share_of_slots(seed % 3 == 0 ? 40'000'000 : 500)), claimants);
  }
}

TEST(FairShares, TheOrderOfTheInputDoesNotMatter) {
  for (unsigned seed = 1; seed <= some_seeds(500); ++seed) {
    RandomClaimants random(seed);
    const Claimants claimants = random.make(60);
    const Share total = random.upto(share_of_slots(400));
    const auto shares = fair_shares(total, claimants);
    std::vector<std::size_t> order(claimants.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random.random_);
    Claimants shuffled;
    for (const std::size_t i : order) shuffled.push_back(claimants[i]);
    const auto others = fair_shares(total, shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(others[i], shares[order[i]]) << seed;
  }
}

TEST(FairShares, MoreSlotsTakeNothingFromAnybody) {
  for (unsigned seed = 1; seed <= some_seeds(500); ++seed) {
    RandomClaimants random(seed);
    const Claimants claimants = random.make(60);
    Share total = 0;
    std::vector<Share> before(claimants.size(), 0);
    for (int step = 0; step < 20; ++step) {
      total += random.upto(share_of_slots(30));
      const auto shares = fair_shares(total, claimants);
      for (std::size_t i = 0; i < shares.size(); ++i) ASSERT_GE(shares[i], before[i]) << seed;
      before = shares;
    }
  }
}

// Who wants or weighs more gets no less, and nobody else gets more for it; where minimums are cut
// weights decide nothing.
TEST(FairShares, WantingOrWeighingMoreCostsOnlyTheOthers) {
  for (unsigned seed = 1; seed <= some_seeds(1000); ++seed) {
    RandomClaimants random(seed);
    Claimants claimants = random.make(60);
    for (ShareClaimant& c : claimants) c.weight = 1 + c.weight % 4'000'000;
    const Share total = random.upto(share_of_slots(400));
    const auto before = fair_shares(total, claimants);
    const auto one =
        static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(claimants.size()) - 1));
    if (seed % 2 == 0) claimants[one].demand += 1 + random.upto(20);
    if (seed % 2 == 1) claimants[one].weight += 1 + random.upto(3'000'000);
    const auto after = fair_shares(total, claimants);
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (i == one) {
        ASSERT_GE(after[i] + 1, before[i]) << seed;
      } else {
        ASSERT_LE(after[i], before[i] + 1) << seed;
      }
    }
  }
}

// With r found, every share is min(d, max(r * w, m)): who is between his bounds has the same ratio.
TEST(FairShares, ThoseBetweenTheirBoundsShareByWeight) {
  for (unsigned seed = 1; seed <= some_seeds(500); ++seed) {
    RandomClaimants random(seed);
    Claimants claimants = random.make(600);
    for (ShareClaimant& c : claimants) c.weight = 1 + random.upto(9);
    const Share total = random.upto(share_of_slots(4000));
    const auto shares = fair_shares(total, claimants);
    Share ratio = -1;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const ShareClaimant& c = claimants[i];
      const Share most = share_of_slots(std::min(c.demand, c.maximum));
      const Share least = std::min(share_of_slots(c.minimum), most);
      if (shares[i] <= least + 1 || shares[i] >= most - 1) continue;
      if (ratio < 0) ratio = shares[i] / c.weight;
      ASSERT_NEAR(static_cast<double>(ratio), static_cast<double>(shares[i] / c.weight), 2) << seed;
    }
  }
}

}  // namespace
}  // namespace weir
