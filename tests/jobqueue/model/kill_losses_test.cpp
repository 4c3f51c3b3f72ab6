// What preemption has cost queues and pools within the last hour.
#include "jobqueue/model/kill_losses.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {


TEST(KillLosses, CountForAnHourByQueueAndByPool) {
  KillLosses losses;
  losses.add({.queue = "a", .pool = "p", .at = 1000, .slot_ms = 120});
  losses.add({.queue = "a", .pool = "q", .at = 2000, .slot_ms = 5});
  losses.add({.queue = "b", .at = 2000, .slot_ms = 9});
  EXPECT_EQ(losses.of_queue("a", 2000), 125);
  EXPECT_EQ(losses.of_queue("b", 2000), 9);
  EXPECT_EQ(losses.of_queue("p", 2000), 0);
  EXPECT_EQ(losses.of_pool("p", 2000), 120);
  EXPECT_EQ(losses.of_pool("q", 2000), 5);
  EXPECT_EQ(losses.of_pool("", 2000), 0);
  EXPECT_EQ(losses.of_queue("a", 1000 + KillLosses::kWindowMs - 1), 125);
  EXPECT_EQ(losses.of_queue("a", 1000 + KillLosses::kWindowMs), 5);
  EXPECT_EQ(losses.of_pool("p", 1000 + KillLosses::kWindowMs), 0);
  EXPECT_EQ(losses.of_queue("a", 2000 + KillLosses::kWindowMs), 0);
  // What has just left the hour is forgotten with the next one, and no other is.
  losses.add({.queue = "a", .at = 1000 + KillLosses::kWindowMs, .slot_ms = 1});
  EXPECT_EQ(losses.of_queue("a", 1000 + KillLosses::kWindowMs), 6);
  EXPECT_EQ(losses.of_queue("b", 1000 + KillLosses::kWindowMs), 9);
}

TEST(KillLosses, OfTwoThatAreAlikeOneIsTakenBack) {
  KillLosses losses;
  const KillLoss loss{.queue = "a", .pool = "p", .at = 1000, .slot_ms = 120};
  losses.add(loss);
  losses.add(loss);
  losses.take_back(loss);
  EXPECT_EQ(losses.of_queue("a", 1000), 120);
  EXPECT_EQ(losses.of_pool("p", 1000), 120);
  losses.take_back({.queue = "a", .pool = "p", .at = 1001, .slot_ms = 120});  // there is none
  losses.take_back({.queue = "none", .at = 1000, .slot_ms = 120});
  EXPECT_EQ(losses.of_queue("a", 1000), 120);
}

}  // namespace
}  // namespace weir::test
