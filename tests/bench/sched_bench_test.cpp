// The benchmark on a tiny cluster: that figures are there and the loop is closed. How fast it is,
// is never asserted.
#include "bench/sched_bench.h"

#include <gtest/gtest.h>

#include "bench/sched_matrix.h"
#include "conf/policies.h"

namespace weir::bench {
namespace {

SchedLoad tiny(const std::string& policy, bool churn) {
  SchedLoad load;
  load.policy = policy;
  load.trackers = 20;
  load.jobs = 40;
  load.queues = 10;
  load.maps_per_job = 30;
  load.reduces_per_job = 10;
  load.churn = churn;
  return load;
}

TEST(SchedBench, MeasuresTheClosedLoopUnderEveryPolicy) {
  for (const std::string& policy : policy_names()) {
    std::vector<double> parts;
    const auto figures =
        run_sched(tiny(policy, false), 0.02, [&](double part) { parts.push_back(part); });
    ASSERT_TRUE(figures.ok()) << figures.error().message;
    EXPECT_GT(figures->tasks_per_second, 0);
    EXPECT_GT(figures->heartbeats_per_second, 0);
    EXPECT_GE(figures->p99_us, figures->p50_us);
    EXPECT_GT(figures->bytes_per_pending_task, 0);
    EXPECT_GE(figures->tick_worst_ms, figures->tick_mean_ms);
    EXPECT_EQ(figures->launches, 3 * figures->heartbeats) << policy;
    EXPECT_EQ(figures->jobs_ended, 0);
    for (const double part : parts) EXPECT_LE(part, 1);
  }
}

TEST(SchedBench, OfContainersTheTrackersStayFilledUnderEveryPolicy) {
  for (const std::string& policy : policy_names()) {
    SchedLoad load = tiny(policy, false);
    load.containers = true;
    const auto figures = run_sched(load, 0.02, {});
    ASSERT_TRUE(figures.ok()) << figures.error().message;
    EXPECT_GT(figures->launches, figures->heartbeats) << policy;
    EXPECT_LT(figures->launches, 12 * figures->heartbeats) << policy;
  }
}

TEST(SchedBench, WhatContainersCannotShowIsRefused) {
  SchedLoad load = tiny("fifo", false);
  load.containers = true;
  EXPECT_TRUE(check_load(load).ok());
  load.jobs = 2;
  EXPECT_EQ(check_load(load).error().message,
            "the tasks ask for 122880 MB of 491520, so not all of it would be taken again");
  load = tiny("fifo", true);
  load.containers = true;
  EXPECT_NE(check_load(load).error().hint.find("--churn"), std::string::npos);
}

TEST(SchedLoad, OfContainersAJobAsksByItsNumber) {
  SchedLoad load;
  load.containers = true;
  EXPECT_EQ(load.offer(), (Resources{{0, 0, 24576, 16}}));
  const SubmitJob job = make_job(load, {.user = "u", .maps = 40, .reduces = 20, .number = 5});
  ASSERT_EQ(job.spec->task_groups.size(), 1u);
  EXPECT_EQ(job.spec->task_groups[0].count, 60u);
  EXPECT_EQ(job.spec->task_groups[0].asked, (Asked{4096, 2, {}}));
  EXPECT_EQ(container_of_job(6), (Resources{{0, 0, 1024, 1}}));
  EXPECT_EQ(table_loads(load).size(), 6u);
}

TEST(SchedBench, UnderChurnJobsEndAndTheLoopGoesOn) {
  for (const std::string& policy : policy_names()) {
    const auto figures = run_sched(tiny(policy, true), 0.2, {});
    ASSERT_TRUE(figures.ok()) << figures.error().message;
    EXPECT_GT(figures->jobs_ended, 0);
    EXPECT_GT(figures->launches, figures->heartbeats);
  }
}

TEST(SchedBench, ALoadThatCannotFillTheSlotsIsRefused) {
  SchedLoad load = tiny("capacity", false);
  load.jobs = 2;
  const auto figures = run_sched(load, 0.01, {});
  ASSERT_FALSE(figures.ok());
  EXPECT_EQ(figures.error().message,
            "60 map tasks do not fill 160 slots, so no slot would be "
            "refilled");
  load.queues = 5;
  load.churn = true;
  EXPECT_NE(check_load(load).error().message.find("at least 10 queues"), std::string::npos);
}

TEST(SchedLoad, JobsStandInQueuesAsTheSpecSays) {
  SchedLoad load = tiny("capacity", false);
  EXPECT_EQ(queue_of_job(load, 23), 3u);
  EXPECT_EQ(load.maps(), 30u);
  load.maps_per_job.reset();
  EXPECT_EQ(load.maps(), 200u);
  load.jobs = 1000;
  EXPECT_EQ(load.maps(), 40u);
  load.churn = true;  // every tenth queue is the visitors'
  load.queues = 20;
  for (std::uint32_t j = 0; j < 100; ++j) {
    EXPECT_LT(queue_of_job(load, j), 20u);
    EXPECT_FALSE(is_visitors_queue(queue_of_job(load, j)));
  }
}

TEST(SchedMatrix, MediansAreFieldByFieldAndBarsSayWhatIsMissing) {
  SchedFigures a, b, c;
  a.tasks_per_second = 1, b.tasks_per_second = 3, c.tasks_per_second = 2;
  a.p99_us = 9, b.p99_us = 7, c.p99_us = 8;
  EXPECT_EQ(median({a, b, c}).tasks_per_second, 2);
  EXPECT_EQ(median({a, b, c}).p99_us, 8);
  EXPECT_EQ(median({a, b}).tasks_per_second, 2);

  std::vector<SchedRow> rows;
  for (const SchedLoad& load : table_loads({})) rows.push_back({load, {}, {}});
  EXPECT_EQ(rows.size(), 12u);
  for (SchedRow& row : rows) {
    row.figures.tasks_per_second = row.load.jobs == 50000 ? 500'000 : 1'000'000;
    row.figures.p99_us = 60;
  }
  std::string missed;
  for (const Bar& bar : bars(rows)) {
    if (!bar.met()) missed += bar.what + "; ";
  }
  EXPECT_EQ(missed, "W: J=50000 Q=1000 over J=100 Q=10; W: worst p99 of a heartbeat, us; ");
}

}  // namespace
}  // namespace weir::bench
