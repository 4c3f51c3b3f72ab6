#include "jobqueue/model/paged_table.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir {
namespace {

TEST(PagedTableTest, AValueIsFoundWhereItWasPutAndStaysThere) {
  PagedTable<int> table;
  EXPECT_EQ(table.find(7), nullptr);
  int& value = table.take(7);
  EXPECT_EQ(value, 0);
  value = 3;
  table.take(100'000) = 5;
  EXPECT_EQ(table.find(7), &value);
  EXPECT_EQ(table[7], 3);
  EXPECT_EQ(table[100'000], 5);
  EXPECT_EQ(*table.find(50'000), 0) << "nothing was taken near it";
  EXPECT_EQ(*table.find(8), 0) << "beside one that was";
}

TEST(PagedTableTest, APageGoesWithTheLastOfItsPlaces) {
  PagedTable<int> table;
  table.take(1) = 1;
  table.take(2) = 2;
  table.take(3'000) = 3;
  EXPECT_EQ(table.pages(), 2u);
  table.give_up(1);
  EXPECT_EQ(*table.find(1), 0) << "it is not there, its page is";
  EXPECT_EQ(table[2], 2);
  table.give_up(2);
  EXPECT_EQ(*table.find(2), 0);
  EXPECT_EQ(table.pages(), 1u);
  table.take(2) = 4;
  EXPECT_EQ(table[2], 4) << "and comes again";
}

TEST(PagedTableTest, WhatHasGoneLeavesNothing) {
  PagedTable<int> table;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    table.take(i) = 1;
    if (i >= 100) table.give_up(i - 100);
  }
  EXPECT_LE(table.pages(), 2u) << "a hundred live";
}

TEST(PagedTableTest, ValuesAreVisitedInOrder) {
  PagedTable<int> table;
  table.take(9'000) = 1;
  table.take(2) = 2;
  table.take(5) = 3;
  table.give_up(5);
  std::vector<std::pair<std::size_t, int>> seen;
  table.each([&](std::size_t i, int value) {
    if (value != 0) seen.emplace_back(i, value);
  });
  const std::vector<std::pair<std::size_t, int>> expected = {{2, 2}, {9'000, 1}};
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace weir
