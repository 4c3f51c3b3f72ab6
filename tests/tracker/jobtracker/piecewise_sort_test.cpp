#include "tracker/jobtracker/piecewise_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

std::vector<int> shuffled(int count) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(i / 3);
  std::mt19937 random(static_cast<std::mt19937::result_type>(count));
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

TEST(PiecewiseSort, SortsWhateverThePiecesAre) {
  for (const int count : {0, 1, 2, 3, 7, 64, 100, 257}) {
    for (const std::size_t piece : {1, 3, 50, 100'000}) {
      PiecewiseSort<int> sort(shuffled(count));
      while (sort.go_on(piece, std::less<>())) {
      }
      std::vector<int> sorted = shuffled(count);
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(sort.take(), sorted) << count << " by " << piece;
    }
  }
}

TEST(PiecewiseSort, APieceHasNoMoreComparisonsThanItMayHave) {
  PiecewiseSort<int> sort(shuffled(200));
  std::size_t compared = 0;
  const auto less = [&compared](int a, int b) {
    ++compared;
    return a < b;
  };
  while (sort.go_on(10, less)) {
    EXPECT_LE(compared, 10u);
    compared = 0;
  }
}

TEST(PiecewiseSort, WhatIsEqualStaysAsItStands) {
  PiecewiseSort<std::pair<int, int>> sort({{1, 0}, {0, 1}, {1, 2}, {0, 3}, {1, 4}});
  while (sort.go_on(1, [](auto a, auto b) { return a.first < b.first; })) {
  }
  using P = std::pair<int, int>;
  EXPECT_THAT(sort.take(), ElementsAre(P{0, 1}, P{0, 3}, P{1, 0}, P{1, 2}, P{1, 4}));
}

// The state goes on between two pieces: whatever it does to the order, no job is lost or doubled.
TEST(PiecewiseSort, LosesNothingWhenTheOrderChangesOrItIsLeftOff) {
  for (std::size_t pieces = 0; pieces < 60; ++pieces) {
    PiecewiseSort<int> sort(shuffled(97));
    bool up = true, more = true;
    for (std::size_t i = 0; i < pieces && more; ++i) {
      more = sort.go_on(9, [up](int a, int b) { return up ? a < b : b < a; });
      up = !up;
    }
    EXPECT_THAT(sort.take(), UnorderedElementsAreArray(shuffled(97))) << pieces;
  }
}

}  // namespace
}  // namespace weir
