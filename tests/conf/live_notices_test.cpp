// Findings about settings on a cluster of a certain size; and which settings need a restart.
#include "conf/live_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/diff.h"
#include "conf/findings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> notices(const std::string& queues, std::int64_t maps,
                                 std::int64_t reduces = 0) {
  return live_notices(good("queues: " + queues + "\n").settings, "capacity",
                      Resources{{maps, reduces, 0, 0}});
}

std::vector<std::string> under_fair(const std::string& text, std::int64_t maps) {
  return live_notices(good(text).settings, "fair", Resources{{maps, 4, 0, 0}});
}

TEST(LiveNotices, MinimumSharesThatAreMoreThanThereIs) {
  const std::string pools =
      "fair: {pools: [{name: a, min_share: {map: 6}}, {name: b, min_share: {map: 3}}, {name: "
      "c}]}\n";
  EXPECT_THAT(under_fair(pools, 9), IsEmpty());
  EXPECT_THAT(under_fair(pools, 8),
              ElementsAre("f: warning: the minimum shares of the top pools total 9 map slots, the "
                          "cluster has 8: where all want theirs each has a part, a 6, b 3"));
  EXPECT_THAT(live_notices(good(pools).settings, "fifo", Resources{{8, 4, 0, 0}}), IsEmpty());
}

TEST(LiveNotices, QueuesWhoseJobsGoIntoNoPool) {
  const std::string pools = "fair: {pools: [{name: a, pools: [{name: x}]}, {name: b}]";
  const std::string queues = "queues: [{name: a}, {name: b, queues: [{name: x}]}]\n";
  EXPECT_THAT(
      under_fair(queues + pools + "}\n", 8),
      ElementsAre("f: warning: queues called as a pool that has pools below it take no jobs "
                  "that name no other pool: a"));
  EXPECT_THAT(under_fair(queues + pools + ", pool_name_property: user}\n", 8), IsEmpty());
}

TEST(LiveNotices, GuaranteesUnderOneSlot) {
  const std::string queues = "[{name: a, guaranteed: 90%}, {name: b, guaranteed: 10%}]";
  EXPECT_THAT(notices(queues, 10), IsEmpty());
  EXPECT_THAT(notices(queues, 9),
              ElementsAre("f: warning: guaranteed less than one of the cluster's 9 map slots: b "
                          "(1 by rounding, one slot from 10 on); such queues take turns and "
                          "have no claims"));
  EXPECT_THAT(notices(queues, 0), IsEmpty());  // no trackers yet
}

TEST(LiveNotices, AmountsOfContainersThatAreScaled) {
  const std::string text =
      "policy: capacity\nresources: containers\nqueues: [{name: a, guaranteed: {memory_mb: 10240, "
      "vcores: 4}}, {name: b, guaranteed: {memory_mb: 20480, vcores: 4}}]\n";
  EXPECT_THAT(live_notices(good(text).settings, "capacity", Resources{{0, 0, 15'360, 8}}),
              ElementsAre("f: warning: the amounts of the top queues total 30720 MB, the cluster "
                          "has 15360: they are scaled down, a 5120 for its 10240, b 10240 for its "
                          "20480"));
  EXPECT_THAT(live_notices(good(text).settings, "capacity", Resources{{0, 0, 30'720, 8}}),
              IsEmpty());
}

TEST(LiveNotices, SlotCountsThatAreScaled) {
  const std::string queues =
      "[{name: a, guaranteed: {map: 40, reduce: 2}}, {name: b, guaranteed: {map: 20, reduce: 4}}]";
  EXPECT_THAT(notices(queues, 60, 6), IsEmpty());
  EXPECT_THAT(
      notices(queues, 6, 12),
      ElementsAre("f: warning: the slot counts of the top queues total 60 map slots, the cluster "
                  "has 6: they are scaled down, a 4 for its 40, b 2 for its 20",
                  "f: warning: the slot counts of the top queues total 6 reduce slots, the cluster "
                  "has 12: they are scaled up, a 4 for its 2, b 8 for its 4"));
}

TEST(LiveNotices, HardUserLimitsThatLeaveAGuaranteeUnused) {
  const std::string queues =
      "[{name: a, guaranteed: 100%, user_limit: {factor: 0.25, mode: hard}}]";
  EXPECT_THAT(notices(queues, 10),
              ElementsAre("f: warning: one user alone cannot use the guaranteed map slots, as "
                          "their limit is hard: a (2 of 10; 5 users fill it)"));
  EXPECT_THAT(notices(queues, 1), IsEmpty());  // at least one task
}

TEST(LiveNotices, ManyQueuesAreCounted) {
  std::string queues = "[";
  for (int i = 0; i < 20; ++i) queues += "{name: q" + std::to_string(i) + "}, ";
  const auto lines = notices(queues + "]", 10);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::HasSubstr("q7 (1 by rounding, one slot from 20 on) and 12 more; "
                                             "such queues"));
}

TEST(DaemonDiff, OnlyWhatTheFileSays) {
  const Loaded before = good("listen: {thrift: 'h:1'}\nstore: {sqlite: a.db}\n");
  const Loaded other = good("listen: {thrift: 'h:5'}\nlimits: {max_connections: 7}\n");
  EXPECT_THAT(diff_daemon(before.daemon, other.daemon, other.daemon_sections),
              ElementsAre("listen.thrift: h:1 -> h:5", "listen.trackers: h:2 -> h:6",
                          "limits.max_connections: 10000 -> 7"));
  EXPECT_THAT(diff_daemon(before.daemon, before.daemon, before.daemon_sections), IsEmpty());
}

}  // namespace
}  // namespace weir
