// Where containers count: queues and trackers by dimension, applications among jobs.
#include "cli/container_tables.h"

#include <gtest/gtest.h>

#include "cli/job_tables.h"
#include "cli/progress_bar.h"
#include "cli/queue_tables.h"
#include "cli/tracker_commands.h"

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
