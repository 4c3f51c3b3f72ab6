// What a moment's views say of the queues, and that a restart loses nothing of it.
#include "tracker/series/series_keeper.h"

#include <gtest/gtest.h>

#include "jobqueue/store/sqlite_store.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

QueueView queue_view(const std::string& name, bool leaf, std::int64_t running) {
  QueueView out;
  out.name = name;
  out.leaf = leaf;
  out.maps.running = running;
  out.maps.guaranteed = 10;
  return out;
}

TEST(SeriesSample, InnerQueuesAndTheClusterHaveTheClaimsAndKillsOfTheirLeaves) {
  PublishedViews views;
  views.total.slots(TaskKind::kMap) = 40;
  std::vector<QueueView> queues = {queue_view("a", false, 7), queue_view("a.b", true, 3),
                                   queue_view("a.c", true, 4), queue_view("d", true, 5)};
  QueueView::Claim claim;
  claim.slots = 6;
  queues[1].claims = {claim, claim};
  views.queues = std::make_shared<const std::vector<QueueView>>(queues);
  const auto samples = sample_of(views, {{"a.c", {2, 0}}, {"gone", {1, 0}}});
  ASSERT_EQ(samples.size(), 5u);
  const auto maps = [&](std::size_t i) { return samples[i].of[0]; };
  EXPECT_EQ(samples[0].queue, "root");
  EXPECT_EQ(maps(0).guaranteed, 40);
  EXPECT_EQ(maps(0).running, 12);  // the leaves
  EXPECT_EQ(maps(0).claims, 12);
  EXPECT_EQ(maps(0).kills, 3);
  EXPECT_EQ(maps(1).claims, 12);
  EXPECT_EQ(maps(1).kills, 2);
  EXPECT_EQ(maps(2).claims, 12);
  EXPECT_EQ(maps(2).kills, 0);
  EXPECT_EQ(maps(4).claims, 0);
  EXPECT_EQ(maps(4).share, -1);
}

TEST(SeriesSample, WhereSomebodyIsGuaranteedSomethingOthersLendAndBorrow) {
  PublishedViews views;
  std::vector<QueueView> queues = {queue_view("a", true, 13), queue_view("b", true, 2)};
  queues[1].maps.allocated = 4;
  for (QueueView& queue : queues) queue.reduces.running = 3;
  views.queues = std::make_shared<const std::vector<QueueView>>(queues);
  const auto samples = sample_of(views, {});
  EXPECT_EQ(samples[1].of[0].running_thousandths, 13'000);
  EXPECT_EQ(samples[1].of[0].borrowed_thousandths, 3'000);
  EXPECT_EQ(samples[2].of[0].lent_thousandths, 6'000);
  EXPECT_EQ(samples[2].of[0].borrowed_thousandths, 0);
  EXPECT_EQ(samples[0].of[0].running_thousandths, 15'000);  // the cluster: the leaves
  EXPECT_EQ(samples[0].of[0].borrowed_thousandths, 3'000);
  EXPECT_EQ(samples[1].of[1].running_thousandths, 3'000);
  EXPECT_EQ(samples[1].of[1].borrowed_thousandths, 0);
}

TEST(SeriesSample, EveryQueueAboveHasTheClaims) {
  PublishedViews views;
  std::vector<QueueView> queues = {queue_view("a", false, 1), queue_view("a.b", false, 1),
                                   queue_view("a.b.c", true, 1)};
  QueueView::Claim claim;
  claim.slots = 6;
  queues[2].claims = {claim};
  views.queues = std::make_shared<const std::vector<QueueView>>(queues);
  for (const SeriesSample& sample : sample_of(views, {}))
    EXPECT_EQ(sample.of[0].claims, 6) << sample.queue;
}

QueueView queue_of_containers(const std::string& name, bool leaf, std::int64_t memory) {
  QueueView out;
  out.name = name;
  out.leaf = leaf;
  const auto running = [](std::int64_t amount) {
    QueueView::Slots figures;
    figures.running = amount;
    figures.guaranteed = 2 * amount;
    return figures;
  };
  out.amounts = {{"memory_mb", running(memory), 0, {}, {}, {}},
                 {"vcores", running(4), 0, {}, {}, {}},
                 {"gpu", running(1), 0, {}, {}, {}}};
  return out;
}

TEST(SeriesSample, OfContainersEachTwoDimensionsAreASeries) {
  PublishedViews views;
  std::vector<QueueView> queues = {queue_of_containers("a", false, 3072),
                                   queue_of_containers("a.b", true, 1024),
                                   queue_of_containers("a.c", true, 2048)};
  QueueView::Claim claim;
  claim.slots = 512;
  claim.dimension = "memory_mb";
  queues[1].claims = {claim};
  views.queues = std::make_shared<const std::vector<QueueView>>(queues);
  Settings settings;
  settings.resources.mode = ResourceSettings::Mode::kContainers;
  settings.resources.named = {"gpu"};
  views.settings = std::make_shared<const Settings>(settings);
  views.total[Dimension::kMemoryMb] = 8192;
  const auto samples = sample_of(views, {{"a.c", {2, 1}}});
  ASSERT_EQ(samples.size(), 8u);
  EXPECT_EQ(samples[0].queue, "root/memory_mb,vcores");
  EXPECT_EQ(samples[1].queue, "root/gpu");
  EXPECT_EQ(samples[6].queue, "a.c/memory_mb,vcores");
  EXPECT_EQ(samples[0].of[0].guaranteed, 8192);
  EXPECT_EQ(samples[0].of[0].running, 3072);  // the leaves
  EXPECT_EQ(samples[0].of[1].running, 8);
  EXPECT_EQ(samples[1].of[0].running, 2);
  EXPECT_EQ(samples[2].of[0].claims, 512);
  EXPECT_EQ(samples[2].of[1].claims, 0);
  EXPECT_EQ(samples[6].of[0].kills, 3);
  EXPECT_EQ(samples[7].of[0].kills, 3);
  EXPECT_EQ(samples[6].of[0].guaranteed, 4096);
}

// The keeper's thread and clock are real: it waits for the second to be over.
TEST(SeriesKeeper, WhatItHasSeenIsThereAfterARestart) {
  FifoHarness h;
  h.engine();
  WallClock wall;
  ViewPublisher publisher([](const std::function<void()>& work) { work(); }, wall);
  publisher.publish_all(h.engine());
  const DecisionLog decisions(1);
  const auto store = make_memory_store({[](const JobSpec&) { return std::string(); },
                                        [](std::string_view) { return JobSpec(); }});
  ASSERT_TRUE(store->load().ok());
  const SeriesKeeper::Parts parts{
      .views = &publisher,
      .decisions = &decisions,
      .store = store.get(),
      .room = [] { return true; },
      .write = [&](const SeriesWrite& write) {
        EXPECT_TRUE(store->put_series(write.rows, write.keep).ok());
      }};
  std::vector<SeriesView::Point> seen;
  {
    SeriesKeeper keeper(parts);
    while (seen.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto series = keeper.read({"default", 0, "1s"});
      if (series) seen = series->points;
    }
  }
  SeriesKeeper again(parts);
  for (;;) {
    const auto series = again.read({"default", 0, "1s"});
    if (series && !series->points.empty()) {
      EXPECT_EQ(series->points.front(), seen.front());
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// It would be zero of what runs, and would raise what waits.
TEST(SeriesSample, WhileTrackersHaveNotReportedAfterARestartThereIsNone) {
  JobSnapshot job;
  job.job = JobId(1);
  auto spec = std::make_shared<JobSpec>();
  spec->splits.resize(1);
  spec->queue = "default";
  job.spec = spec;
  job.queue = "default";
  job.state = JobState::kRunning;
  Snapshot snapshot{.epoch = 2};
  snapshot.next_job = 2;
  snapshot.trackers = {{"tt1", {}, {}}};
  snapshot.jobs = {job};
  FifoHarness h;
  h.start(snapshot);
  WallClock wall;
  ViewPublisher publisher([](const std::function<void()>& work) { work(); }, wall);
  publisher.publish_all(h.engine());
  EXPECT_TRUE(sample_of(*publisher.glance(), {}).empty());
  h.add_tracker("tt1", {.map_slots = 1});
  h.heartbeat("tt1");
  publisher.publish_changes(h.engine());
  const auto samples = sample_of(*publisher.glance(), {});
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples[0].of[0].running, 1);
}

// Those of the past are in what the store has.
TEST(SeriesKeeper, KillsBeforeThisStartAreNotCountedAgain) {
  FifoHarness h;
  h.engine();
  WallClock wall;
  ViewPublisher publisher([](const std::function<void()>& work) { work(); }, wall);
  publisher.publish_all(h.engine());
  auto segment = std::make_shared<DecisionSegment>();
  DecisionRecord& kill = segment->next();
  kill.number = 7;
  kill.kind = DecisionKind::kKill;
  kill.flag = true;
  kill.leaf = segment->name("default");
  segment->publish();
  const DecisionLog decisions(1'000, {.rare = {segment}, .jobs = {}});
  const auto store = make_memory_store({[](const JobSpec&) { return std::string(); },
                                        [](std::string_view) { return JobSpec(); }});
  ASSERT_TRUE(store->load().ok());
  SeriesKeeper keeper({.views = &publisher,
                       .decisions = &decisions,
                       .store = store.get(),
                       .room = [] { return true; },
                       .write = [](const SeriesWrite&) {}});
  for (;;) {
    const auto series = keeper.read({"default", 0, "1s"});
    if (series && !series->points.empty()) {
      EXPECT_EQ(series->points.front().maps.kills, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace
}  // namespace weir::test
