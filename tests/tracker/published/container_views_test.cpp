// What readers see of queues where containers count: kills, totals and users, by dimension.
#include <gmock/gmock.h>

#include "tracker/published/container_harness.h"

namespace weir::test {
namespace {

using testing::ElementsAre;

QueueSettings reclaimed(QueueSettings settings) {
  settings.reclaim_after_ms[0] = settings.reclaim_after_ms[1] = 10'000;
  return settings;
}

std::int64_t used(const QueueView& queue, std::size_t place) {
  return queue.amounts.at(place).time.used_ms;
}

// b runs on all memory; a second later a wants its half of it back, with one task.
struct Reclaim : testing::Test {
  Reclaim() {
    h.add_queue(with_children(
        queue("p", 100), {reclaimed(queue("a", 50)), reclaimed(queue("b", 50))}));
    h.join("tt1");
    h.ask("p.b", "bob", 4, 1024, 1);
    EXPECT_EQ(h.heartbeat("tt1"), "J1/t0 J1/t1 J1/t2 J1/t3");
    h.now += 1'000;
    h.ask("p.a", "ann", 1, 2048);
    h.advance(0);
  }
  ContainerHarness h;
};

TEST_F(Reclaim, AKillHasTheContainerOfItsAttempt) {
  h.advance(11'000);
  const QueueView victim = h.shown("p.b"), claimant = h.shown("p.a");
  ASSERT_EQ(victim.kills.size(), 2u);
  ASSERT_EQ(claimant.kills.size(), 2u);
  const QueueView::Kill& kill = victim.kills[0];
  EXPECT_THAT(kill.container,
              ElementsAre(Amount{"memory_mb", 1024}, Amount{"vcores", 1}, Amount{"gpu", 1}));
  EXPECT_EQ(kill.ran_ms, 12'000);
  EXPECT_THAT(kill.lost_amounts_ms(),
              ElementsAre(Amount{"memory_mb", 12'288'000}, Amount{"vcores", 12'000},
                          Amount{"gpu", 12'000}));
  EXPECT_EQ(kill.lost_slot_ms(), 12'000);  // as the kill_budget counts it
}

TEST_F(Reclaim, TotalsGoByDimensionAndUpToTheParent) {
  h.advance(11'000);
  h.settle("tt1");
  const QueueView b = h.shown("p.b"), parent = h.shown("p");
  EXPECT_FALSE(b.map_time || b.reduce_time || parent.map_time || parent.reduce_time);
  ASSERT_EQ(b.amounts.size(), 3u);
  EXPECT_EQ(b.amounts[0].time.lost_ms, 2 * 12'288'000);
  EXPECT_EQ(b.amounts[1].time.lost_ms, 2 * 12'000);
  EXPECT_EQ(b.amounts[2].time.lost_ms, 2 * 12'000);
  EXPECT_EQ(used(b, 0), 2 * 12'288'000);  // nothing else has ended
  EXPECT_EQ(b.amounts[0].time.borrowed_ms, 12'000 * 2048);
  EXPECT_EQ(parent.amounts[0].time.lost_ms, 2 * 12'288'000);
  EXPECT_EQ(used(parent, 2), 2 * 12'000);
  EXPECT_EQ(h.shown("p.a").amounts[0].time.lost_ms, 0);
}

TEST_F(Reclaim, AUserHasAmountsAndNoSlots) {
  h.advance(11'000);
  h.settle("tt1");
  const QueueView::User bob = h.shown("p.b").users.at(0);
  EXPECT_EQ(bob.user, "bob");
  EXPECT_EQ(bob.running_maps, 0);
  EXPECT_EQ(bob.running_reduces, 0);
  EXPECT_FALSE(bob.used_map_slot_ms || bob.lost_map_slot_ms || bob.limit_maps);
  EXPECT_THAT(bob.amounts,
              ElementsAre(QueueView::UserAmounts{"memory_mb", 2048, {}, 24'576'000, 24'576'000},
                          QueueView::UserAmounts{"vcores", 2, {}, 24'000, 24'000},
                          QueueView::UserAmounts{"gpu", 2, {}, 24'000, 24'000}));
}

TEST(ContainerViews, AUsersLimitIsOfEachDimensionAndNoMoreThanTheMaximum) {
  ContainerHarness h;
  QueueSettings a = with_user_minimum(queue("a", 50), 50);
  h.add_queue(a).add_queue(queue("b", 50));
  h.join("tt1");
  EXPECT_TRUE(h.shown("a").users.empty());
  h.ask("a", "ann", 9, 512);
  h.ask("a", "bob", 9, 512);
  h.heartbeat("tt1");
  const QueueView queue = h.shown("a");
  ASSERT_EQ(queue.users.size(), 2u);
  EXPECT_EQ(queue.users[0].amounts[0].limit, 2048);  // half of all, which is its maximum
  EXPECT_EQ(queue.users[0].amounts[1].limit, 4);
  a.maximum_hundredths = 60'00;  // less than runs there
  a.user_limit.minimum_hundredths = 100'00;
  a.user_limit.factor_millionths = 4'000'000;
  h.change([&](Settings& settings) { settings.queues[0] = a; });
  EXPECT_EQ(h.shown("a").users[0].amounts[0].limit, h.shown("a").amounts[0].figures.maximum);
  a.user_limit.factor_millionths.reset();
  h.change([&](Settings& settings) { settings.queues[0] = a; });
  EXPECT_EQ(h.shown("a").users[0].amounts[0].limit, std::nullopt);  // nobody is limited
}

TEST(ContainerViews, WithoutTrackersWhatMayRunPends) {
  ContainerHarness h;
  h.add_queue(with_children(queue("p", 100), {queue("a", 50), queue("b", 50)}));
  h.ask("p.a", "ann", 3, 1024, 2);
  for (const char* path : {"p.a", "p"}) {
    const QueueView queue = h.shown(path);
    EXPECT_EQ(queue.amounts[0].figures.pending, 3'072) << path;
    EXPECT_EQ(queue.amounts[2].figures.pending, 6) << path;
    EXPECT_EQ(queue.maps.pending, 0) << path;
  }
}

// A tracker has so many ports for tasks, and they are taken like what it offers.
TEST(ContainerViews, ATrackerTellsItsPorts) {
  ContainerHarness h;
  h.add_queue(queue("a", 100));
  RegisterTracker registration;
  registration.name = registration.host = "tt1";
  registration.incarnation = h.tracker("tt1").incarnation = 7;
  registration.total = Resources{{0, 0, 4096, 8}};
  registration.port_count = 5;
  h.change([](Settings& settings) { settings.resources = {}; });
  h.step(registration);
  const auto ports = [&] {
    return render_tracker(h.engine(), h.state().trackers()[0], WallClock()).view.ports;
  };
  EXPECT_EQ(ports(), std::nullopt);  // slots count
  h.change([](Settings& s) { s.resources.mode = ResourceSettings::Mode::kContainers; });
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->queue = "a";
  TaskGroupSpec& group = spec->task_groups.emplace_back();
  group.name = "main";
  group.count = 2;
  group.ports = 2;
  group.asked = {1024, 1, {}};
  h.step(SubmitJob{{"ann", {}}, std::move(spec)});
  h.heartbeat("tt1");
  EXPECT_EQ(ports(), (TrackerView::Offer{"ports", 5, 4}));
}

// What slots have had is nothing that containers have, and is there again when they count.
TEST(ContainerViews, SlotsAndContainersAreCountedApart) {
  ContainerHarness h;
  h.settings().resources = {};
  h.add_queue(queue("default", 100));
  h.join("tt1");
  h.submit({.user = "ann", .maps = 1});
  h.heartbeat("tt1");
  h.now += 3'000;
  h.finish_all("tt1");
  h.settle("tt1");
  ASSERT_EQ(h.shown("default").map_time->used_ms, 3'000);
  h.change([](Settings& settings) {
    settings.resources.mode = ResourceSettings::Mode::kContainers;
    settings.resources.named = {"gpu"};
  });
  QueueView queue = h.shown("default");
  EXPECT_FALSE(queue.map_time);
  EXPECT_EQ(used(queue, 0), 0);
  EXPECT_EQ(queue.users.at(0).amounts.at(0).used_ms, 0);
  h.change([](Settings& settings) { settings.resources = {}; });
  queue = h.shown("default");
  EXPECT_TRUE(queue.amounts.empty());
  EXPECT_EQ(queue.map_time->used_ms, 3'000);
  EXPECT_EQ(queue.users.at(0).used_map_slot_ms, 3'000);
}

TEST_F(Reclaim, WhatAResourceHadStaysWithItsName) {
  h.advance(11'000);
  h.settle("tt1");
  h.change([](Settings& settings) { settings.resources.named = {"fpga", "gpu"}; });
  QueueView b = h.shown("p.b");
  ASSERT_EQ(b.amounts.size(), 4u);
  EXPECT_EQ(b.amounts[2].time.lost_ms, 0);  // fpga
  EXPECT_EQ(b.amounts[3].time.lost_ms, 24'000);
  EXPECT_EQ(b.users.at(0).amounts.at(3).lost_ms, 24'000);
  EXPECT_THAT(b.kills.at(0).container,
              ElementsAre(Amount{"memory_mb", 1024}, Amount{"vcores", 1}, Amount{"gpu", 1}));
}

// The past goes by names too; what an inner queue lent and borrowed is its own alone.
TEST_F(Reclaim, ThePastIsAddedByTheNameOfTheDimension) {
  QueuePast before;
  before.since = 5'000;
  before.maps = {1, 1, 1, 1};
  before.amounts = {{"gpu", {100, 200, 300, 400}}, {"tpu", {1, 1, 1, 1}}};
  before.users = {{.name = "bob", .succeeded = 3, .amounts = {{"gpu", {60, 40}}, {"tpu", {1, 1}}}},
                  {.name = "eve", .used_map_ms = 7, .amounts = {{"vcores", {8, 9}}}}};
  const Past past(9'000, {{"p.b", before}, {"p", before}});
  const QueueView b = h.shown("p.b", past), parent = h.shown("p", past);
  const std::int64_t since = 2 * 1'000;  // of gpu: b has borrowed two for a second
  EXPECT_EQ(b.amounts[2].time, (QueueView::SlotTime{100, 200, 300 + since, 400}));
  EXPECT_EQ(b.amounts[0].time, h.shown("p.b").amounts[0].time);
  EXPECT_EQ(parent.amounts[2].time, (QueueView::SlotTime{100 + 100, 200, 300, 400 + 400}));
  ASSERT_EQ(b.users.size(), 2u);
  EXPECT_EQ(b.users[0].amounts[2], (QueueView::UserAmounts{"gpu", 4, {}, 60, 40}));
  EXPECT_EQ(b.users[1].amounts[1], (QueueView::UserAmounts{"vcores", 0, {}, 8, 9}));
  EXPECT_FALSE(b.users[1].used_map_slot_ms.has_value());
  // What does not count now is kept for when it does.
  const QueuePast kept = past_of(b, before);
  EXPECT_EQ(kept.maps, before.maps);
  EXPECT_EQ(kept.amounts.at("tpu"), before.amounts.at("tpu"));
  EXPECT_EQ(kept.amounts.at("gpu"), b.amounts[2].time);
  EXPECT_EQ(kept.users[0].amounts.at("tpu"), (QueuePast::Had{1, 1}));
  EXPECT_EQ(kept.users[1].used_map_ms, 7);
  EXPECT_EQ(kept.users[1].amounts.at("vcores"), (QueuePast::Had{8, 9}));
}

TEST(ContainerPast, ARemovedQueueHandsOnItsAmounts) {
  Settings settings;
  settings.queues = {queue("a", 50), queue("c", 50)};
  settings.removed_queues = {{"b", "c"}};
  const auto tree = QueueTree::build(settings.queues);
  QueuePast had;
  had.amounts = {{"gpu", {1, 2, 3, 4}}};
  had.users = {{.name = "bob", .amounts = {{"gpu", {5, 6}}}}};
  Past past(9'000, {{"b", had}, {"c", had}});
  past.follow(settings, *tree);
  QueueView c;
  c.name = "c";
  c.leaf = true;
  c.amounts = {{.dimension = "gpu"}};
  past.add_totals(c);
  EXPECT_EQ(c.amounts[0].time, (QueueView::SlotTime{2, 4, 6, 8}));
  EXPECT_EQ(c.users.at(0).amounts.at(0), (QueueView::UserAmounts{"gpu", 0, {}, 10, 12}));
}

}  // namespace
}  // namespace weir::test
