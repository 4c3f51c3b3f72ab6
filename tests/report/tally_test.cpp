#include "report/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

SlowJob job(const std::string& id, const std::string& queue, const std::string& state,
            DurationMs response_ms, TimeMs submitted_at = 0) {
  SlowJob job;
  job.id = id;
  job.queue = queue;
  job.state = state;
  job.response_ms = response_ms;
  job.submitted_at = submitted_at;
  return job;
}

Report handed_over(Tally& tally) {
  Report report;
  tally.hand_over(10'000, report);
  return report;
}

TEST(Tally, AnEndCountsInItsQueueByHowItEnded) {
  Tally tally(0);
  tally.add_end(job("1", "a", "SUCCEEDED", 10));
  tally.add_end(job("2", "a", "FAILED", 20));
  tally.add_end(job("3", "b", "KILLED", 30));
  tally.totals("c");
  const Report report = handed_over(tally);
  ASSERT_THAT(report.totals, SizeIs(3));
  const QueueTotals& a = report.totals[0];
  EXPECT_EQ(a.queue, "a");
  EXPECT_EQ(a.succeeded, 1u);
  EXPECT_EQ(a.failed, 1u);
  EXPECT_THAT(a.responses, ElementsAre(10, 20));
  EXPECT_EQ(report.totals[1].killed, 1u);
  EXPECT_EQ(report.totals[2].queue, "c");
  EXPECT_THAT(report.totals[2].responses, IsEmpty());
}

TEST(Tally, TheSlowestJobsAreTheSameInWhateverOrderTheyAreTold) {
  Tally forth(0), back(0);
  constexpr int kJobs = 60;
  for (int i = 0; i < kJobs; ++i) {
    const auto told = [](int n) { return job(std::to_string(n), "a", "SUCCEEDED", n / 2, n); };
    forth.add_end(told(i));
    back.add_end(told(kJobs - 1 - i));
  }
  const Report one = handed_over(forth), other = handed_over(back);
  ASSERT_THAT(one.slowest, SizeIs(kSlowestJobs));
  ASSERT_THAT(other.slowest, SizeIs(kSlowestJobs));
  for (std::size_t i = 0; i < kSlowestJobs; ++i) EXPECT_EQ(one.slowest[i].id, other.slowest[i].id);
  EXPECT_EQ(one.slowest[0].id, "58") << "of two that are as slow the one that came first";
}

TEST(Tally, AKillIsAddedUpByVictimClaimantAndReason) {
  Tally tally(0);
  tally.add_kill({.victim = "a", .claimant = "b", .reason = "reclaim", .wasted_slot_s = {1, 0}});
  tally.add_kill({.victim = "a", .claimant = "b", .reason = "reclaim", .wasted_slot_s = {0, 2}});
  tally.add_kill({.victim = "b", .claimant = "a", .reason = "reclaim", .wasted_slot_s = {5}});
  tally.add_kill({.victim = "b", .reason = "fair_share", .wasted_slot_s = {4}});
  const Report report = handed_over(tally);
  ASSERT_THAT(report.kills, SizeIs(3));
  EXPECT_THAT(report.kills[0].wasted_slot_s, ElementsAre(5)) << "what cost most comes first";
  EXPECT_EQ(report.kills[2].victim, "a");
  EXPECT_EQ(report.kills[2].count, 2u);
  EXPECT_THAT(report.kills[2].wasted_slot_s, ElementsAre(1, 2));
  ASSERT_THAT(report.totals, SizeIs(2)) << "a kill for nobody makes no queue";
  EXPECT_EQ(report.totals[0].lost, 2u);
  EXPECT_EQ(report.totals[0].gained, 1u);
  EXPECT_THAT(report.totals[1].wasted_slot_s, ElementsAre(9));
}

TEST(Tally, TheClustersSeriesIsNotAmongTheQueues) {
  Tally tally(0);
  Figures figures;
  figures.running = 2;
  tally.add_cluster(TaskKind::kMap, 0, 1000, figures);
  tally.timeline().add("a", TaskKind::kMap, 0, 1000, figures);
  const Report report = handed_over(tally);
  ASSERT_THAT(report.queues, SizeIs(1));
  EXPECT_EQ(report.queues[0].queue, "a");
  EXPECT_EQ(report.cluster.points.front().of[0].running, 2);
  ASSERT_THAT(report.totals, SizeIs(1));
}

}  // namespace
}  // namespace weir::report
