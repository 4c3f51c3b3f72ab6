// Groups of jobs in order, where containers count, against a plain list of them.
#include "jobqueue/policy/container_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "jobqueue/model/size_table.h"
#include "jobqueue/policy/container_bounds.h"

namespace weir {
namespace {

ItemOrder item(std::uint32_t job, TaskKind kind = TaskKind::kMap) {
  return {{Priority::kNormal, 0, JobId(job)}, kind};
}

TEST(ContainerItems, AreVisitedInOrderAndByBucket) {
  SizeTable sizes;
  const Size* small = sizes.intern(Resources{{0, 0, 1024, 1}});
  const Size* large = sizes.intern(Resources{{0, 0, 4096, 1}});
  ContainerItems items;
  items.set_tasks(item(3), {UserId(0), small}, 0, 1);
  items.set_tasks(item(1, TaskKind::kReduce), {UserId(0), small}, 0, 2);
  items.set_tasks(item(1), {UserId(0), large}, 0, 5);
  std::vector<ItemOrder> seen;
  const auto see = [&](const ItemOrder& at, const auto&) { return seen.push_back(at), false; };
  items.visit([](const auto&) { return true; }, see);
  EXPECT_EQ(seen, (std::vector{item(1), item(1, TaskKind::kReduce), item(3)}));
  seen.clear();
  items.visit([&](const auto& bucket) { return bucket.size == small; }, see);
  EXPECT_EQ(seen, (std::vector{item(1, TaskKind::kReduce), item(3)}));
}

TEST(ContainerItems, AreAsAPlainListOfThemSays) {
  std::mt19937 dice(7);
  SizeTable sizes;
  std::vector<const Size*> known;
  for (std::int64_t i = 1; i <= 4; ++i) known.push_back(sizes.intern(Resources{{0, 0, i, 1}}));
  ContainerItems items;
  struct Entry {
    UserId user;
    const Size* size;
    std::uint32_t tasks = 0;
  };
  std::map<ItemOrder, Entry> plain;
  for (int step = 0; step < 20'000; ++step) {
    const ItemOrder at = item(dice() % 30, dice() % 2 ? TaskKind::kMap : TaskKind::kReduce);
    auto [entry, fresh] = plain.try_emplace(
        at, Entry{UserId(at.job.id.value % 3), known[(at.job.id.value + index(at.kind)) % 4]});
    const std::uint32_t now = dice() % 3 == 0 ? 0 : dice() % 5;
    items.set_tasks(at, {entry->second.user, entry->second.size}, entry->second.tasks, now);
    entry->second.tasks = now;
    if (step % 100 != 0) continue;
    const std::int64_t most = dice() % 4 + 1;
    std::vector<ItemOrder> expected, seen;
    for (const auto& [order, of] : plain) {
      if (of.tasks > 0 && of.size->need[Dimension::kMemoryMb] <= most) expected.push_back(order);
    }
    items.visit(
        [&](const auto& bucket) { return bucket.size->need[Dimension::kMemoryMb] <= most; },
        [&](const ItemOrder& order, const auto&) { return seen.push_back(order), false; });
    ASSERT_EQ(seen, expected);
    std::int64_t tasks = 0;
    for (const auto& bucket : items.buckets()) tasks += bucket.tasks;
    for (const auto& [order, of] : plain) tasks -= of.tasks;
    ASSERT_EQ(tasks, 0);
  }
}

TEST(ContainerBounds, AreLookedAtWhereATaskTakesSomething) {
  ResourceSettings settings;
  settings.mode = ResourceSettings::Mode::kContainers;
  const Space space(settings);
  Amounts run, bound;
  run[Dimension::kMemoryMb] = 4096;
  run[Dimension::kVcores] = 9;
  bound[Dimension::kMemoryMb] = 5120;
  bound[Dimension::kVcores] = 4;
  EXPECT_TRUE(within(space, run, Resources{{0, 0, 1024, 0}}, bound));
  EXPECT_FALSE(within(space, run, Resources{{0, 0, 1025, 0}}, bound));
  EXPECT_FALSE(within(space, run, Resources{{0, 0, 1, 1}}, bound));
  EXPECT_TRUE(is_short(space, run, Resources{{0, 0, 9999, 0}}, bound));
  EXPECT_FALSE(is_short(space, run, Resources{{0, 0, 1, 1}}, bound));
}

TEST(ContainerBounds, TheDominantPartIsTheLargestAndNothingOfNothingIsNone) {
  ResourceSettings settings;
  settings.mode = ResourceSettings::Mode::kContainers;
  const Space space(settings);
  Amounts run, of;
  run[Dimension::kMemoryMb] = 1;
  of[Dimension::kMemoryMb] = 4;
  const Resources cluster{{0, 0, 10, 10}};
  EXPECT_EQ(dominant(space, run, of, cluster).whole, 4);
  run[Dimension::kVcores] = 1;  // of a guarantee of none
  const Fraction infinite = dominant(space, run, of, cluster);
  EXPECT_TRUE((Fraction{99, 1}) < infinite);
  EXPECT_FALSE(infinite < infinite);
}

}  // namespace
}  // namespace weir
