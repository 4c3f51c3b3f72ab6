// What queues are guaranteed, on numbers and on trees.
#include "jobqueue/model/queue_guarantees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace weir {
namespace {

using ::testing::ElementsAre;

std::int64_t sum(const std::vector<std::int64_t>& v) {
  return std::accumulate(v.begin(), v.end(), std::int64_t{0});
}

Guarantee percent(std::int64_t p) {
  return {Guarantee::Unit::kPercent, p * 100};
}
Guarantee slots(std::int64_t n) {
  return {Guarantee::Unit::kSlots, n};
}

TEST(LargestRemainder, GivesTheRestToTheLargestRemaindersThenInOrder) {
  EXPECT_THAT(largest_remainder(10, {1, 1, 1}), ElementsAre(4, 3, 3));
  EXPECT_THAT(largest_remainder(10, {1, 9}), ElementsAre(1, 9));
  EXPECT_THAT(largest_remainder(4, {10, 90}), ElementsAre(0, 4));  // 0.4 and 3.6
  EXPECT_THAT(largest_remainder(6, {10, 90}), ElementsAre(1, 5));  // 0.6 and 5.4
  EXPECT_THAT(largest_remainder(5, {0, 0}), ElementsAre(3, 2));
  EXPECT_THAT(largest_remainder(0, {3, 4}), ElementsAre(0, 0));
  EXPECT_THAT(largest_remainder(7, {0, 1, 0}), ElementsAre(0, 7, 0));
  EXPECT_TRUE(largest_remainder(0, {}).empty());
}

TEST(LargestRemainder, IsExactWithNumbersThatDoNotFit64Bits) {
  const std::int64_t big = std::int64_t{1} << 61;
  EXPECT_EQ(sum(largest_remainder(1000000007, {big, big - 1, 3})), 1000000007);
}

TEST(SiblingWeights, ThoseWithoutAGuaranteeShareTheRest) {
  EXPECT_THAT(sibling_weights({percent(60), {}, {}}), ElementsAre(12000, 4000, 4000));
  EXPECT_THAT(sibling_weights({percent(60), percent(40)}), ElementsAre(6000, 4000));
  EXPECT_THAT(sibling_weights({{}, {}, {}}), ElementsAre(10000, 10000, 10000));
  EXPECT_THAT(sibling_weights({percent(100), {}}), ElementsAre(10000, 0));
  EXPECT_THAT(sibling_weights({slots(30), slots(10)}), ElementsAre(30, 10));
  EXPECT_THAT(sibling_weights({slots(0), slots(0)}), ElementsAre(1, 1));
}

TEST(Maximum, IsRoundedDownButAtLeastTheGuaranteeAndOneSlot) {
  EXPECT_EQ(maximum_slots(std::nullopt, 100, 30), 100);
  EXPECT_EQ(maximum_slots(3333, 10, 2), 3);
  EXPECT_EQ(maximum_slots(1000, 10, 4), 4);
  EXPECT_EQ(maximum_slots(0, 10, 0), 1);
}

QueueTree tree_of(const std::vector<QueueSettings>& queues) {
  auto tree = QueueTree::build(queues);
  EXPECT_TRUE(tree.ok());
  return std::move(*tree);
}

QueueSettings queue(const char* name, Guarantee g, std::vector<QueueSettings> children = {}) {
  QueueSettings q;
  q.name = name;
  q.guaranteed[0] = q.guaranteed[1] = g;
  q.queues = std::move(children);
  return q;
}

TEST(Guarantees, SiblingsAddUpToTheirParentAtEveryTotal) {
  const QueueTree tree = tree_of(
      {queue("a", percent(33), {queue("x", {}), queue("y", {}), queue("z", {})}),
       queue("b", {}, {queue("x", slots(2)), queue("y", slots(5))}), queue("c", percent(1))});
  for (std::int64_t total = 0; total < 300; ++total) {
    const auto gc = guaranteed_slots(tree, TaskKind::kMap, total);
    const auto max = maximum_slots(tree, total, gc);
    for (std::size_t q = 0; q < tree.size(); ++q) {
      ASSERT_GE(max[q], gc[q]);
      if (tree.nodes()[q].leaf()) continue;
      std::int64_t children = 0;
      for (const QueueId child : tree.nodes()[q].children) children += gc[child.index()];
      ASSERT_EQ(children, gc[q]);
    }
  }
}

TEST(Guarantees, AShareIsWorthASlotFromACertainTotalOn) {
  const QueueTree tree =
      tree_of({queue("a", percent(10), {queue("x", percent(30)), queue("y", {})}),
               queue("b", percent(90)), queue("none", {})});
  const auto shares = exact_shares(tree, TaskKind::kMap);
  const auto of = [&](const char* path) { return shares[tree.find_path(path)->index()]; };
  EXPECT_EQ(of("a").one_slot_from, 10);
  EXPECT_EQ(of("a.x").one_slot_from, 34);  // 3%
  EXPECT_EQ(of("b").one_slot_from, 2);
  EXPECT_EQ(of("none").one_slot_from, INT64_MAX);
  EXPECT_EQ(of("none").weight, 0);
}

}  // namespace
}  // namespace weir
