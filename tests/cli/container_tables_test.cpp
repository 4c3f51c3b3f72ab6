// Where containers count: queues and trackers by dimension, applications among jobs.
#include "cli/container_tables.h"

#include <gtest/gtest.h>

#include "cli/job_tables.h"
#include "cli/progress_bar.h"
#include "cli/queue_tables.h"
#include "cli/tracker_commands.h"
#include "cli/watch_command.h"
#include "views/amount_text.h"

namespace weir::cli {
namespace {

TEST(ContainerTables, AQueueHasALineADimension) {
  QueueView queue;
  queue.name = "research";
  queue.state = "RUNNING";
  queue.jobs_running = 2;
  queue.amounts = {{"memory_mb", {.running = 1024, .pending = 2048, .maximum = 8192}},
                   {"gpu", {.running = 1, .pending = 2}}};
  EXPECT_EQ(queue_table({queue}).render(kUncut),
            "QUEUE     STATE    DIMENSION   RUN  PEND   MAX  JOBS\n"
            "research  RUNNING  memory_mb  1024  2048  8192     2\n"
            "                   gpu           1     2     -\n");
}

TEST(ContainerTables, WhatIsKeptAndReservedIsShownWhereThereIsAny) {
  QueueView queue;
  queue.name = "research";
  queue.state = "RUNNING";
  queue.amounts = {{"memory_mb", {.maximum = 8192}, 2048, 1024, {}}, {"vcores", {}, 1, 0, {}}};
  EXPECT_EQ(queue_table({queue}).render(kUncut),
            "QUEUE     STATE    DIMENSION  RUN  PEND   MAX  KEEPS  RESERVED  JOBS\n"
            "research  RUNNING  memory_mb    0     0  8192   1024      2048     0\n"
            "                   vcores       0     0     -      0         1\n");
  TrackerView tracker;
  tracker.name = "tt1";
  tracker.state = "LIVE";
  tracker.offer = {{"memory_mb", 4096, 1024}};
  EXPECT_EQ(tracker_table({tracker}).render(kUncut).find("RESERVED"), std::string::npos);
  tracker.reserved_for = JobId(7);
  const std::string table = tracker_table({tracker}).render(kUncut);
  EXPECT_NE(table.find("RESERVED FOR"), std::string::npos) << table;
  EXPECT_NE(table.find("job_0007"), std::string::npos) << table;
  EXPECT_EQ(table.find("ROOM FOR"), std::string::npos);
  tracker.room_for = JobId(8);
  tracker.rooms = 2;
  EXPECT_NE(tracker_table({tracker}).render(kUncut).find("2 of job_0008"), std::string::npos);
}

TEST(ContainerTables, AWatchedQueueSaysWhatRunsOfEachDimension) {
  QueueView queue;
  queue.name = "research";
  queue.amounts = {{"memory_mb", {.running = 6144, .pending = 28416}},
                   {"vcores", {.guaranteed = 4, .allocated = 5, .running = 6, .lends = 0}}};
  EXPECT_EQ(queue_line(queue),
            "queue research: memory_mb 6144 running, 28416 pending; vcores 4 guaranteed, 5 "
            "allocated, 6 running, 0 pending");
}

TEST(ContainerTables, WhatIsOwedIsDueOnlyIfItKills) {
  QueueView queue;
  queue.name = "research";
  queue.amounts = {{"memory_mb", {}}};
  QueueView::Claim claim{.slots = 1024, .dimension = "memory_mb", .milliseconds_left = 2'000};
  const auto owed = [&](std::optional<std::int64_t> overdue_ms, const char* state) {
    claim.overdue_ms = overdue_ms;
    claim.state = state;
    if (overdue_ms) claim.milliseconds_left = 0;
    queue.claims = {claim};
    const std::string table = queue_table({queue}).render(kUncut);
    const std::size_t from = table.rfind("1024 (");
    return from == std::string::npos ? table : table.substr(from, table.find(')') + 1 - from);
  };
  EXPECT_EQ(owed({}, "waiting"), "1024 (2.0s)");
  EXPECT_EQ(owed(500, "due"), "1024 (due)");
  EXPECT_EQ(owed(500, "fragmented"), "1024 (fragmented)");
  EXPECT_EQ(owed(500, "over_budget"), "1024 (over budget)");
  EXPECT_EQ(claim_text(queue.claims[0]), "1024 MB overdue 500ms (over budget)");
  claim.milliseconds_left = -1;
  EXPECT_EQ(owed({}, "waiting"), "1024 (never)");
}

TEST(ContainerTables, AnAmountForATimeIsExactWhereItIsLittle) {
  EXPECT_EQ(amount_time_text("memory_mb", 40'960'000), "40960 MB-s");
  EXPECT_EQ(amount_time_text("memory_mb", 4'710'400), "4710 MB-s");
  EXPECT_EQ(amount_time_text("vcores", 20'000), "20 vcore-s");
  EXPECT_EQ(amount_time_text("vcores", 99'999), "99.9 vcore-s");
  EXPECT_EQ(amount_time_text("vcores", 100'900), "100 vcore-s");
  EXPECT_EQ(amount_time_text("gpu", 640), "0.6 gpu-s");
  EXPECT_EQ(amount_times_text({{"memory_mb", 2'000}, {"gpu", 0}}), "2 MB-s, 0 gpu-s");
  EXPECT_EQ(amount_times_text({}), "");
}

QueueView with_past() {
  QueueView queue;
  queue.name = "research";
  queue.leaf = true;
  queue.state = "RUNNING";
  queue.amounts = {{"memory_mb", {.running = 1024}, 0, {}, {}, {40'960'000, 1'000, 2'500, 300}},
                   {"vcores", {.running = 1}, 0, {}, {}, {20'000, 0, 0, 0}}};
  return queue;
}

TEST(ContainerTables, AQueueShowsWhatItAndItsUsersHaveHad) {
  QueueView queue = with_past();
  queue.users = {{.user = "ann",
                  .jobs = 3,
                  .jobs_waiting = 0,
                  .jobs_pending = 1,
                  .jobs_running = 2,
                  .jobs_succeeded = 7,
                  .jobs_failed = 0,
                  .jobs_killed = 1,
                  .amounts = {{"memory_mb", 1024, 2048, 40'960'000, 300},
                              {"vcores", 1, {}, 20'000, 0}}}};
  const std::string shown = queue_details(queue, 0, kUncut);
  for (const char* line :
       {"USER  DIMENSION   HAS  LIMIT  WAIT  PEND  RUN  DONE  FAILED  KILLED     USED  LOST\n",
        "ann   memory_mb  1024   2048     0     1    2     7       0       1  40960.0   0.3\n",
        "      vcores        1      -                                            20.0   0.0\n"})
    EXPECT_NE(shown.find(line), std::string::npos) << shown;
  EXPECT_NE(shown.find("TOTALS            USED  LENT  BORROWED  LOST TO KILLS\n"
                       "MB-seconds     40960.0   1.0       2.5            0.3\n"
                       "vcore-seconds     20.0   0.0       0.0            0.0\n"),
            std::string::npos)
      << shown;
  EXPECT_EQ(shown.find("MAPS"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("SLOT-SECONDS"), std::string::npos) << shown;
}

TEST(ContainerTables, AKillLostEachOfItsDimensions) {
  QueueView queue = with_past();
  queue.kills = {{.attempt = "attempt_0001_t_000000_0",
                  .slots = 1,
                  .container = {{"memory_mb", 2048}, {"vcores", 1}},
                  .ran_ms = 20'000,
                  .outcome = "used"},
                 {.slots = 2, .ran_ms = 3'000, .outcome = "used"}};  // while slots counted
  std::string shown = queue_details(queue, 0, kUncut);
  EXPECT_NE(shown.find("40960 MB-s, 20 vcore-s  used"), std::string::npos) << shown;
  EXPECT_NE(shown.find(" 6.0  used"), std::string::npos) << shown;
  queue.kills[0].outcome = "finished_first";
  shown = queue_details(queue, 0, kUncut);
  EXPECT_NE(shown.find("0 MB-s, 0 vcore-s  finished_first"), std::string::npos) << shown;
}

TEST(ContainerTables, ATrackerShowsWhatIsUsedOfItsOffer) {
  TrackerView tracker;
  tracker.name = "tt1";
  tracker.state = "LIVE";
  tracker.host = "h1";
  tracker.rack = "r1";
  tracker.offer = {{"memory_mb", 4096, 1024}, {"gpu", 2, 1}};
  tracker.labels = {{"disk", "ssd"}, {"zone", "a"}};
  TrackerView lost = tracker;  // it offers nothing of what the others do
  lost.name = "tt2";
  lost.offer.pop_back();
  lost.labels.clear();
  const std::string table = tracker_table({tracker, lost}).render(kUncut);
  EXPECT_NE(table.find("MEMORY MB  GPU  LABELS"), std::string::npos) << table;
  EXPECT_NE(table.find("1024/4096  1/2  disk=ssd, zone=a"), std::string::npos) << table;
  EXPECT_NE(table.find("1024/4096    -  -"), std::string::npos) << table;
  EXPECT_EQ(offer_text(tracker), "1024/4096 MB, 1/2 gpu");
}

JobView application() {
  JobView job;
  job.id = JobId(7);
  job.state = "RUNNING";
  job.groups = {{"ps", {.total = 2, .running = 1, .succeeded = 1, .progress_millionths = 500'000}},
                {"worker", {.total = 6, .running = 3, .failed_attempts = 4}}};
  return job;
}

TEST(ContainerTables, AnApplicationHasTasksAndNeitherMapsNorReduces) {
  const std::string alone = job_table({application()}).render(kUncut);
  EXPECT_NE(alone.find("TASKS"), std::string::npos);
  EXPECT_NE(alone.find("1/8"), std::string::npos) << alone;
  EXPECT_EQ(alone.find("MAPS"), std::string::npos);
  JobView mapreduce;
  mapreduce.maps.total = 5;
  const std::string both = job_table({application(), mapreduce}).render(kUncut);
  EXPECT_NE(both.find("TASKS  MAPS  REDUCES"), std::string::npos) << both;
  EXPECT_EQ(job_table({mapreduce}).render(kUncut).find("TASKS"), std::string::npos);
  const std::string details = job_details(application());
  EXPECT_NE(details.find("group worker:  0 of 6 done"), std::string::npos) << details;
  EXPECT_EQ(details.find("maps"), std::string::npos);
  EXPECT_EQ(details.find("output"), std::string::npos);
}

TEST(ContainerTables, AnApplicationsProgressIsThatOfItsGroups) {
  const JobView job = application();
  EXPECT_EQ(job.all_tasks().progress_millionths, 125'000);
  EXPECT_EQ(job.all_tasks().failed_attempts, 4);
  EXPECT_EQ(progress_line(job), "job_0007 RUNNING: ps 1/2, worker 0/6, 4 running, 0ms");
  EXPECT_NE(progress_bar(job, {80, false}).find("tasks ["), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
