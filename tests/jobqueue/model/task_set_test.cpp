#include "jobqueue/model/task_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace weir {
namespace {

TEST(TaskSet, GivesTheLowestFirst) {
  TaskSet set(1000000);
  EXPECT_EQ(set.first(), std::nullopt);
  set.insert(999999);
  set.insert(64);
  EXPECT_EQ(set.first(), 64u);
  EXPECT_FALSE(set.insert(64));
  EXPECT_TRUE(set.erase(64));
  EXPECT_EQ(set.first(), 999999u);
  EXPECT_EQ(set.size(), 1u);
}

TEST(TaskSet, FillsExactly) {
  for (const std::uint32_t n : {0u, 1u, 63u, 64u, 65u, 4096u, 4097u, 300000u}) {
    TaskSet set;
    set.fill(n);
    EXPECT_EQ(set.size(), n);
    EXPECT_EQ(set.contains(n), false);
    EXPECT_EQ(set.at_or_after(n), std::nullopt);
  }
}

TEST(TaskSet, AgreesWithAnOrderedSet) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t capacity = 1 + random() % 20000;
    TaskSet set(capacity);
    std::set<std::uint32_t> model;
    for (int i = 0; i < 3000; ++i) {
      const std::uint32_t at = random() % capacity;
      if (random() % 2 == 0) {
        EXPECT_EQ(set.insert(at), model.insert(at).second);
      } else {
        EXPECT_EQ(set.erase(at), model.erase(at) == 1);
      }
      ASSERT_EQ(set.size(), model.size());
      ASSERT_EQ(set.first(), model.empty() ? std::nullopt : std::optional(*model.begin()));
      const std::uint32_t from = random() % capacity;
      const auto next = model.lower_bound(from);
      ASSERT_EQ(set.at_or_after(from), next == model.end() ? std::nullopt : std::optional(*next))
          << "seed " << seed;
    }
  }
}

TEST(TaskSet, ACopyHasTheSameMembersAndGoesItsOwnWay) {
  for (const std::uint32_t capacity : {0u, 5u, 64u, 65u, 5'000u, 300'000u}) {
    TaskSet set(capacity);
    for (std::uint32_t i = 0; i < capacity; i += 3) set.insert(i);
    TaskSet copy = set.copied();
    EXPECT_EQ(copy.size(), set.size());
    for (std::uint32_t i = 0; i < capacity; ++i) ASSERT_EQ(copy.contains(i), set.contains(i)) << i;
    EXPECT_EQ(copy.first(), set.first());
    copy.erase(0);
    EXPECT_EQ(set.contains(0), capacity > 0);
  }
}

}  // namespace
}  // namespace weir
