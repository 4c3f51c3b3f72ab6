// The orders of a family's children for sets of sizes, and how they follow what changes.
#include <gtest/gtest.h>

#include <compare>
#include <map>

#include "jobqueue/policy/head_views.h"

namespace weir::test {
namespace {

struct Key {
  int value = 0;
  Key(int value = 0) : value(value) {}
  operator int() const { return value; }
  friend auto operator<=>(const Key&, const Key&) = default;
  friend std::uint64_t coarse(const Key& key) { return static_cast<std::uint64_t>(key.value) / 16; }
};

struct Head {
  int step = 0;
  Key key;
};

class HeadViewsTest : public testing::Test {
 protected:
  using Views = HeadViews<Head>;
  static constexpr SizeMasks kSmall{.starts = 1}, kLarge{.starts = 2};
  static constexpr int kMany = 1000;  // changes, more than are kept

  // The first child's key; `asked` counts of whom it was asked where they stand at best.
  int first(const SizeMasks& masks) {
    Views::View& view = views.at(0, masks, [&](std::uint32_t child) {
      ++asked[child];
      return std::optional(Views::Rank{0, keys[child], child});
    });
    const Views::Rank* found = view.first(
        [&](std::uint32_t c) { return Views::Answer{.head = Head{0, keys[c]}}; });
    return view.head(found->child()).key;
  }
  void change(std::uint32_t child, int key) {
    keys[child] = key;
    views.mark(0, child);
  }

  Views views{{3}};
  std::vector<int> keys = {10, 20, 30};
  std::map<std::uint32_t, int> asked;
};

TEST_F(HeadViewsTest, OnlyWhoHasChangedIsAskedHoweverManyChangesThereHaveBeen) {
  EXPECT_EQ(first(kSmall), 10);
  asked.clear();
  for (int i = 0; i < kMany; ++i) {
    change(1, 20 - i % 15);
    EXPECT_EQ(first(kSmall), std::min(10, keys[1]));
  }
  EXPECT_EQ(asked, (std::map<std::uint32_t, int>{{1, kMany}}));
}

TEST_F(HeadViewsTest, WhatAnOrderHasNotSeenForLongIsAskedAnew) {
  EXPECT_EQ(first(kLarge), 10);
  change(2, 5);
  for (int i = 0; i < kMany; ++i) {
    change(1, 20 + i % 15);
    EXPECT_EQ(first(kSmall), 5);
  }
  asked.clear();
  EXPECT_EQ(first(kLarge), 5);
  EXPECT_EQ(asked.size(), 3u);
}

}  // namespace
}  // namespace weir::test
