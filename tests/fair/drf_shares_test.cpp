// Dominant-resource fairness: the worked cases of containers.md, a second computation in exact
// rationals, the one of one dimension, and properties over random families.
#include "fair/drf_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <random>

#include "fair/shares.h"
#include "lab/kit/seeds.h"

namespace weir {
namespace {

using Ratio = boost::multiprecision::cpp_rational;
using Numbers = std::vector<std::int64_t>;
using Optionals = std::vector<std::optional<std::int64_t>>;
using Thousandths = std::vector<Numbers>;
using DrfClaimants = std::vector<DrfClaimant>;

constexpr std::int64_t kG = 1024;
std::vector<Share> whole(const Numbers& amounts) {
  std::vector<Share> shares;
  for (const std::int64_t amount : amounts) shares.push_back(share_of_slots(amount));
  return shares;
}

DrfClaimant wants(Numbers demand, std::int64_t weight = 1) {
  const std::size_t n = demand.size();
  return {.demand = std::move(demand),
          .minimum = Optionals(n),
          .maximum = Optionals(n),
          .weight = weight};
}

DrfClaimant tasks(std::int64_t count, Numbers each, std::int64_t weight = 1) {
  for (std::int64_t& amount : each) amount *= count;
  return wants(std::move(each), weight);
}

Thousandths rounded(const DrfShares& shares) {
  Thousandths result;
  for (const std::vector<Share>& share : shares.of) {
    result.emplace_back();
    for (const Share s : share) result.back().push_back(thousandths(s));
  }
  return result;
}

DrfShares deal(const Numbers& total, const DrfClaimants& claimants,
               Contested contested = Contested::kAll) {
  return drf_shares(total, whole(total), claimants, contested);
}

TEST(DrfShares, OfThePaper) {
  const Numbers total{18 * kG, 9};
  const DrfClaimant a = tasks(50, {4 * kG, 1});
  const DrfClaimant b = tasks(50, {kG, 3});
  const DrfShares case3 = deal(total, {a, b});
  EXPECT_EQ(rounded(case3), (Thousandths{{12'288'000, 3'000}, {2'048'000, 6'000}}));
  EXPECT_EQ(case3.full, (std::vector<bool>{false, true}));
  // 4: B has weight 2.
  EXPECT_EQ(rounded(deal(total, {a, tasks(50, {kG, 3}, 2)})),
            (Thousandths{{7'372'800, 1'800}, {2'457'600, 7'200}}));
  // 5: A has one task.
  EXPECT_EQ(rounded(deal(total, {tasks(1, {4 * kG, 1}), b})),
            (Thousandths{{4'096'000, 1'000}, {2'730'667, 8'000}}));
  // 6: under `fair`.
  const DrfShares case6 = deal(total, {a, b}, Contested::kFirst);
  EXPECT_EQ(rounded(case6), (Thousandths{{9'216'000, 2'250}, {9'216'000, 9'000}}));
  EXPECT_EQ(case6.full, (std::vector<bool>{true, false}));
}

TEST(DrfShares, MinimumsAndMaximums) {  // 7
  const Numbers total{10 * kG, 10};
  DrfClaimant a = tasks(50, {kG, 1});
  DrfClaimant b = a;
  a.minimum[0] = 8 * kG;
  EXPECT_EQ(rounded(deal(total, {a, b})), (Thousandths{{8'192'000, 8'000}, {2'048'000, 2'000}}));
  b.minimum[0] = 4 * kG;
  EXPECT_EQ(rounded(deal(total, {a, b})), (Thousandths{{6'826'667, 6'667}, {3'413'333, 3'333}}));
  a.minimum[0] = b.minimum[0] = std::nullopt;
  a.maximum[0] = 2 * kG;
  EXPECT_EQ(rounded(deal(total, {a, b})), (Thousandths{{2'048'000, 2'000}, {8'192'000, 8'000}}));
}

TEST(DrfShares, WhoWantsNothingOfAFullDimensionGoesOn) {  // 8
  const DrfShares shares = deal({100 * kG, 100}, {tasks(500, {kG, 0}), tasks(500, {kG, 2})});
  EXPECT_EQ(rounded(shares), (Thousandths{{68'266'667, 0}, {34'133'333, 66'667}}));
  // B and C stop when the vcores are full, A goes on.
  const DrfShares more =
      deal({100 * kG, 10}, {tasks(500, {kG, 0}), tasks(500, {kG, 2}), tasks(500, {0, 1})});
  EXPECT_EQ(rounded(more), (Thousandths{{99'840'000, 0}, {2'560'000, 5'000}, {0, 5'000}}));
  EXPECT_EQ(more.full, (std::vector<bool>{true, true}));
}

TEST(DrfShares, BelowAPool) {  // 9
  const Numbers total{1000 * kG, 10, 10};
  const DrfClaimant x = tasks(20, {kG, 1, 0});
  const DrfClaimant y = tasks(20, {kG, 0, 1});
  const DrfShares top = deal(total, {y, wants({40 * kG, 20, 20})});
  EXPECT_EQ(rounded(top), (Thousandths{{5'120'000, 0, 5'000}, {10'240'000, 5'000, 5'000}}));
  EXPECT_EQ(top.full, (std::vector<bool>{false, false, true}));
  const std::vector<Share> divide = divided_below(top, whole(total), 1);
  EXPECT_EQ(thousandths(divide[0]), 682'666'667);
  EXPECT_EQ(thousandths(divide[1]), 10'000);
  EXPECT_EQ(thousandths(divide[2]), 5'000);
  const DrfShares below = drf_shares(total, divide, {x, y}, Contested::kAll);
  EXPECT_EQ(rounded(below), (Thousandths{{10'240'000, 10'000, 0}, {5'120'000, 0, 5'000}}));
  EXPECT_EQ(below.full, (std::vector<bool>{false, true, true}));
}

TEST(DrfShares, ATreeUnderFair) {  // 10
  const auto leaves = [](std::int64_t memory) {
    const Numbers total{memory * kG};
    DrfClaimant fast = tasks(24, {kG}, 3);
    fast.maximum[0] = 4 * kG;
    const DrfClaimant regular = tasks(24, {kG});
    DrfClaimant marketing = wants({wanted_above(total, fast)[0] + regular.demand[0]});
    const DrfClaimant cda = marketing;
    marketing.minimum[0] = 8 * kG;
    const DrfShares top = deal(total, {regular, marketing}, Contested::kFirst);
    const auto for_cda = divided_below(top, whole(total), 1);
    const DrfShares middle = drf_shares(total, for_cda, {cda}, Contested::kFirst);
    const auto for_leaves = divided_below(middle, for_cda, 0);
    const DrfShares below = drf_shares(total, for_leaves, {fast, regular}, Contested::kFirst);
    return Numbers{thousandths(top.of[0][0]) / kG, thousandths(top.of[1][0]) / kG,
                   thousandths(below.of[0][0]) / kG, thousandths(below.of[1][0]) / kG};
  };
  EXPECT_EQ(leaves(24), (Numbers{12'000, 12'000, 4'000, 8'000}));
  EXPECT_EQ(leaves(10), (Numbers{2'000, 8'000, 4'000, 4'000}));
}

TEST(DrfShares, WhatThereIsNoneOfIsLeftOut) {
  DrfClaimant a = tasks(10, {kG, 1});
  a.minimum = {8 * kG, 0};  // of vcores, of which there are none
  a.maximum = {std::nullopt, 1};
  const DrfShares shares = deal({10 * kG, 0}, {a, tasks(10, {kG, 1})});
  EXPECT_EQ(rounded(shares), (Thousandths{{8'192'000, 0}, {2'048'000, 0}}));
  EXPECT_EQ(shares.full, (std::vector<bool>{true, false}));
  EXPECT_EQ(wanted_above({10 * kG, 0}, a), a.demand);
  a.maximum[0] = 3 * kG;
  EXPECT_EQ(wanted_above({10 * kG, 0}, a), (Numbers{3 * kG, 3}));
}

TEST(DrfShares, NobodyAndNothing) {
  EXPECT_TRUE(deal({10, 10}, {}).of.empty());
  EXPECT_EQ(rounded(deal({10, 10}, {wants({5, 2})})), (Thousandths{{5'000, 2'000}}));
  EXPECT_EQ(rounded(deal({0, 0}, {wants({5, 2})})), (Thousandths{{0, 0}}));
}

// The rule of containers.md word by word in exact rationals, and slowly: x goes from one breakpoint
// to the next, all sums are made anew.
class Oracle {
 public:
  Oracle(Numbers total, std::vector<Ratio> divide, const DrfClaimants& claimants,
         Contested contested)
      : total_(std::move(total)), divide_(std::move(divide)), claimants_(claimants) {
    const std::size_t most = contested == Contested::kFirst ? 1 : total_.size();
    for (std::size_t d = 0; d < most; ++d)
      if (total_[d] > 0) dims_.push_back(d);
    for (std::size_t i = 0; i < claimants_.size(); ++i) bound(i);
    scale();
    f_ = lo_;
    full_.resize(total_.size());
    stopped_.resize(claimants_.size());
    while (step()) {
    }
  }

  Ratio share(std::size_t i, std::size_t d) const {
    const Ratio s = f_[i] * claimants_[i].demand[d];
    return std::find(dims_.begin(), dims_.end(), d) == dims_.end() ? std::min(s, divide_[d]) : s;
  }

 private:
  void bound(std::size_t i) {
    const DrfClaimant& c = claimants_[i];
    Ratio hi = 1, lo = 2, dominant = 0;
    for (const std::size_t d : dims_) {
      if (c.demand[d] == 0) continue;
      if (c.maximum[d]) hi = std::min(hi, Ratio(*c.maximum[d], c.demand[d]));
      if (c.minimum[d]) lo = std::min(lo, Ratio(std::min(*c.minimum[d], c.demand[d]), c.demand[d]));
      dominant = std::max(dominant, Ratio(c.demand[d], total_[d]));
    }
    lo = lo == 2 ? Ratio(0) : std::min(lo, hi);
    if (dominant == 0) lo = hi;
    lo_.push_back(lo);
    hi_.push_back(hi);
    rate_.push_back(dominant == 0 ? Ratio(0) : Ratio(c.weight) / dominant);
  }
  void scale() {
    std::vector<Ratio> factor(claimants_.size(), Ratio(1));
    for (const std::size_t d : dims_) {
      Ratio sum = 0;
      for (std::size_t i = 0; i < claimants_.size(); ++i) sum += lo_[i] * claimants_[i].demand[d];
      if (sum <= divide_[d]) continue;
      for (std::size_t i = 0; i < claimants_.size(); ++i) {
        if (claimants_[i].demand[d] > 0) factor[i] = std::min(factor[i], Ratio(divide_[d] / sum));
      }
    }
    for (std::size_t i = 0; i < claimants_.size(); ++i) lo_[i] *= factor[i];
  }
  Ratio sum_of(std::size_t d) const {
    Ratio sum = 0;
    for (std::size_t i = 0; i < claimants_.size(); ++i) sum += f_[i] * claimants_[i].demand[d];
    return sum;
  }
  bool step() {
    for (const std::size_t d : dims_) {
      if (full_[d] || sum_of(d) < divide_[d]) continue;
      full_[d] = true;
      for (std::size_t i = 0; i < claimants_.size(); ++i) {
        if (claimants_[i].demand[d] > 0) stopped_[i] = true;
      }
    }
    std::optional<Ratio> next;
    const auto at = [&](const Ratio& x) {
      if (x > x_ && (!next || x < *next)) next = x;
    };
    std::vector<Ratio> slope(total_.size());
    for (std::size_t i = 0; i < claimants_.size(); ++i) {
      if (stopped_[i] || rate_[i] == 0 || f_[i] >= hi_[i]) continue;
      at(lo_[i] / rate_[i]);
      at(hi_[i] / rate_[i]);
      if (x_ * rate_[i] < lo_[i]) continue;
      for (const std::size_t d : dims_) slope[d] += rate_[i] * claimants_[i].demand[d];
    }
    for (const std::size_t d : dims_) {
      if (!full_[d] && slope[d] > 0) at(x_ + (divide_[d] - sum_of(d)) / slope[d]);
    }
    if (!next) return false;
    x_ = *next;
    for (std::size_t i = 0; i < claimants_.size(); ++i) {
      if (!stopped_[i] && rate_[i] > 0) f_[i] = std::clamp(Ratio(x_ * rate_[i]), lo_[i], hi_[i]);
    }
    return true;
  }

  Numbers total_;
  std::vector<Ratio> divide_;
  const DrfClaimants& claimants_;
  std::vector<std::size_t> dims_;
  std::vector<Ratio> lo_, hi_, rate_, f_;
  std::vector<bool> full_, stopped_;
  Ratio x_ = 0;
};

struct RandomFamily {
  Numbers total;
  std::vector<Share> divide;
  DrfClaimants claimants;
  Contested contested = Contested::kAll;
};

class RandomFamilies {
 public:
  explicit RandomFamilies(unsigned seed) : random_(seed) {}
  std::int64_t upto(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n)(random_);
  }
  DrfClaimant claimant(const Numbers& scale) {
    DrfClaimant c = wants(Numbers(scale.size()), upto(12) == 0 ? 0 : 1 + upto(upto(1) * 99));
    for (std::size_t d = 0; d < scale.size(); ++d) {
      if (upto(3) > 0) c.demand[d] = upto(scale[d]);
      if (upto(3) == 0) c.minimum[d] = upto(scale[d] / 2);
      if (upto(3) == 0) c.maximum[d] = c.minimum[d].value_or(0) + upto(scale[d] / 2);
    }
    return c;
  }
  RandomFamily make(std::size_t most_claimants) {
    RandomFamily family;
    const std::size_t dimensions = 1 + upto(3);
    Numbers scale;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t size = upto(1) == 0 ? 12 : 100'000;
      family.total.push_back(upto(9) == 0 ? 0 : upto(size));
      scale.push_back(upto(2) == 0 ? 4 * size : size);
      family.divide.push_back(share_of_slots(family.total[d]));
      if (upto(3) == 0) family.divide[d] = upto(family.divide[d]);
    }
    const std::int64_t count = 1 + upto(static_cast<std::int64_t>(most_claimants) - 1);
    for (std::int64_t i = 0; i < count; ++i) family.claimants.push_back(claimant(scale));
    if (upto(3) == 0) family.claimants.push_back(family.claimants[0]);
    if (upto(3) == 0) family.contested = Contested::kFirst;
    return family;
  }
  template <class Items>
  void shuffle(Items& items) {
    std::shuffle(items.begin(), items.end(), random_);
  }

 private:
  std::mt19937 random_;
};

DrfShares deal(const RandomFamily& family) {
  return drf_shares(family.total, family.divide, family.claimants, family.contested);
}

TEST(DrfSharesRandom, AreThoseOfTheOracle) {
  for (unsigned seed = 0; seed < some_seeds(20'000); ++seed) {
    const RandomFamily family = RandomFamilies(seed).make(7);
    std::vector<Ratio> divide;
    for (const Share share : family.divide) divide.emplace_back(share, kWholeSlot);
    const Oracle oracle(family.total, divide, family.claimants, family.contested);
    const DrfShares shares = deal(family);
    for (std::size_t i = 0; i < family.claimants.size(); ++i) {
      for (std::size_t d = 0; d < family.total.size(); ++d) {
        const Ratio off = oracle.share(i, d) - Ratio(shares.of[i][d], kWholeSlot);
        ASSERT_LT(abs(off), Ratio(1, 100'000'000)) << "seed " << seed << ", " << i << ", " << d;
      }
    }
  }
}

TEST(DrfSharesRandom, OfOneDimensionAreTheFairShares) {
  for (unsigned seed = 0; seed < some_seeds(10'000); ++seed) {
    RandomFamilies random(seed);
    const Numbers total{random.upto(random.upto(1) == 0 ? 12 : 1'000'000)};
    DrfClaimants claimants;
    std::vector<ShareClaimant> plain;
    const std::int64_t count = 1 + random.upto(20);
    for (std::int64_t i = 0; i < count; ++i) {
      DrfClaimant c = random.claimant({total[0] + 5});
      c.weight =
          std::max<std::int64_t>(c.weight, 1);  // where all have room fair_shares() forgets 0
      claimants.push_back(c);
      plain.push_back({.demand = c.demand[0],
                       .minimum = c.minimum[0].value_or(0),
                       .weight = c.weight,
                       .maximum = c.maximum[0].value_or(INT64_MAX)});
    }
    const std::vector<Share> expected = fair_shares(share_of_slots(total[0]), plain);
    for (const Contested contested : {Contested::kAll, Contested::kFirst}) {
      const DrfShares shares = deal(total, claimants, contested);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_LE(std::abs(shares.of[i][0] - expected[i]), 10) << "seed " << seed << ", " << i;
    }
  }
}

TEST(DrfSharesRandom, StayWithinWhatThereIsAndTheMaximums) {
  for (unsigned seed = 0; seed < some_seeds(3'000); ++seed) {
    const RandomFamily family = RandomFamilies(seed).make(30);
    const DrfShares shares = deal(family);
    for (std::size_t d = 0; d < family.total.size(); ++d) {
      const bool counts = family.contested == Contested::kAll || d == 0;
      Int128 sum = 0;
      for (std::size_t i = 0; i < family.claimants.size(); ++i) {
        const DrfClaimant& c = family.claimants[i];
        sum += shares.of[i][d];
        ASSERT_GE(shares.of[i][d], 0);
        ASSERT_LE(shares.of[i][d], share_of_slots(c.demand[d]));
        ASSERT_LE(shares.of[i][d],
                  share_of_slots(counts ? c.maximum[d].value_or(INT32_MAX) : INT32_MAX));
      }
      ASSERT_TRUE(!counts || sum <= Int128(family.divide[d])) << "seed " << seed;
    }
  }
}

TEST(DrfSharesRandom, KeepTheirOwnersInAnyOrder) {
  for (unsigned seed = 0; seed < some_seeds(2'000); ++seed) {
    RandomFamilies random(seed);
    RandomFamily family = random.make(30);
    family.claimants.push_back(family.claimants[0]);
    const DrfShares shares = deal(family);
    EXPECT_EQ(shares.of.front(), shares.of.back()) << "equal claimants, seed " << seed;
    std::vector<std::size_t> order(family.claimants.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    RandomFamily shuffled = family;
    for (std::size_t i = 0; i < order.size(); ++i)
      shuffled.claimants[i] = family.claimants[order[i]];
    const DrfShares again = deal(shuffled);
    ASSERT_EQ(again.full, shares.full);
    for (std::size_t i = 0; i < order.size(); ++i)
      ASSERT_EQ(again.of[i], shares.of[order[i]]) << "seed " << seed;
  }
}

TEST(DrfSharesRandom, OfTheLargestNumbers) {
  const std::int64_t most = kMostOfDimension;
  const std::int64_t huge = std::int64_t{1} << 60;
  const DrfShares shares = deal({most, 1}, {wants({huge, 1}, INT64_MAX), wants({1, huge}, 1),
                                            wants({huge, huge}, INT64_MAX)});
  const auto sum = [&](std::size_t d) {
    return Int128(shares.of[0][d]) + shares.of[1][d] + shares.of[2][d];
  };
  EXPECT_LE(sum(0), Int128(share_of_slots(most)));
  EXPECT_LE(sum(1), Int128(share_of_slots(1)));
  EXPECT_TRUE(shares.full[0] || shares.full[1]);
}

}  // namespace
}  // namespace weir
