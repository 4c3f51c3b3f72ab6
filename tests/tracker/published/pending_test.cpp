// What pends in a queue above others is what pends in those, whatever its own maximum leaves it.
#include <gtest/gtest.h>

#include "support/fifo_harness.h"
#include "tracker/published/policy_outlook.h"
#include "tracker/published/render.h"

namespace weir::test {
namespace {

// A parent that may have 2 of 4 slots, and in each of its two leaves 3 tasks, of which 2 might run.
void fill_up(FifoHarness& h) {
  QueueSettings parent = queue("a");
  parent.maximum_hundredths = 5'000;
  parent.queues = {queue("x"), queue("y")};
  h.add_queue(parent).add_queue(queue("b", 100));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "a.x", .maps = 3});
  h.submit({.queue = "a.y", .maps = 3});
}

TEST(PendingOfParents, IsTheSumOfTheirChildrenInListsOfQueues) {
  FifoHarness h;
  fill_up(h);
  const std::vector<QueueView> queues = render_queues(h.engine(), WallClock(), Past());
  ASSERT_EQ(queues.size(), 4u);
  EXPECT_EQ(queues[1].maps.pending, 2);
  EXPECT_EQ(queues[0].maps.pending, queues[1].maps.pending + queues[2].maps.pending);
  EXPECT_EQ(queues[0].maps.pending, 4);
}

TEST(PendingOfParents, IsTheSumOfTheirChildrenInThePolicyOutlook) {
  FifoHarness h;
  fill_up(h);
  const OutlookView outlook = ruling_outlook(h.engine());
  ASSERT_EQ(outlook.shares.size(), 4u);
  EXPECT_EQ(outlook.shares[0].maps.pending,
            outlook.shares[1].maps.pending + outlook.shares[2].maps.pending);
  EXPECT_EQ(outlook.shares[0].maps.pending, 4);
}

}  // namespace
}  // namespace weir::test
