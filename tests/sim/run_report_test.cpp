#include "sim/run_report.h"

#include <gmock/gmock.h>

#include "sim/sim_fixture.h"

namespace weir::test {
namespace {

using testing::DoubleNear;
using testing::Optional;
using testing::SizeIs;

const char* const kLending =
    "cluster: {trackers_per_rack: 2, map_slots: 2, reduce_slots: 0}\n"
    "settings:\n"
    "  policy: capacity\n"
    "  queues:\n"
    "    - {name: a, guaranteed: 50%}\n"
    "    - {name: b, guaranteed: 50%, reclaim_after: 30s}\n"
    "heartbeats: {interval: 1s}\n"
    "steps:\n"
    "  - submit: {id: A, queue: a, maps: 4, map_time: 100s}\n"
    "  - at: 20s\n"
    "    submit: {id: B, queue: b, maps: 2, map_time: 10s}\n"
    "  - run_until: jobs_ended\n";

TEST(RunReport, AgreesWithTheSummaryAndSaysWhoLentLostAndWaited) {
  const auto scenario = load_scenario_text("s.yaml", kLending);
  ASSERT_TRUE(scenario.ok());
  auto runner = Runner::create(*scenario, policy_factory());
  ASSERT_TRUE(runner.ok());
  RunReport watcher;
  (*runner)->watch(watcher);
  (*runner)->summarise();
  (*runner)->run();
  const report::Report made = watcher.end((*runner)->engine().engine());
  const auto rows = (*runner)->summary()->rows();
  ASSERT_THAT(made.totals, SizeIs(2));
  const report::QueueTotals& a = made.totals[0];
  const report::QueueTotals& b = made.totals[1];
  EXPECT_EQ(a.succeeded, 1);
  EXPECT_THAT(a.used_slot_s[0], DoubleNear(rows[0].use[0].seconds, 1e-6));
  EXPECT_EQ(a.lost, rows[0].kills);
  EXPECT_EQ(a.lost, 2);
  EXPECT_THAT(a.wasted_slot_s[0], DoubleNear(rows[0].use[0].wasted_seconds, 1e-6));
  EXPECT_EQ(b.gained, 2);
  EXPECT_THAT(b.lent_slot_s[0], Optional(testing::Gt(20)));
  EXPECT_THAT(a.borrowed_slot_s[0], Optional(testing::Gt(60)));
  EXPECT_THAT(b.waits, SizeIs(1));
  EXPECT_GE(b.waits[0], 30'000);
  ASSERT_THAT(made.kills, SizeIs(1));
  EXPECT_EQ(made.kills[0].victim, "a");
  EXPECT_EQ(made.kills[0].claimant, "b");
  ASSERT_THAT(made.slowest, SizeIs(2));
  EXPECT_EQ(made.slowest[0].id, "A");
  EXPECT_EQ(made.slowest[0].lost_attempts, 2);
}

}  // namespace
}  // namespace weir::test
