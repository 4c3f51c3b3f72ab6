// What queues had before this start, added to what they have had since.
#include "tracker/published/past.h"

#include <gmock/gmock.h>

#include "capacity/capacity_harness.h"
#include "tracker/published/render.h"

namespace weir::test {
namespace {

using testing::ElementsAre;

QueuePast some_past() {
  QueuePast past;
  past.since = 5'000;
  past.maps = {100, 200, 300, 400};
  past.reduces = {1, 2, 3, 4};
  past.succeeded = 7;
  past.failed = 2;
  past.killed = 1;
  past.users = {{"ann", 4, 1, 0, 60, 0, 40, 0}, {"bob", 3, 1, 1, 40, 1, 0, 4}};
  QueueView::Kill kill;
  kill.at_ms = 4'000;
  kill.victim = "a";
  kill.outcome = "used";
  past.kills = {kill};
  return past;
}

struct WithPast : CapacityHarness {
  WithPast() {
    QueueSettings parent = queue("p", 100);
    parent.queues = {queue("a", 50), queue("b", 50)};
    add_queue(parent);
    add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
    submit({.queue = "a", .user = "ann", .maps = 1});
    heartbeat("tt1");
    finish("J1/m0");
    settle("tt1");
  }
  QueueView shown(const Past& past, const std::string& path) {
    for (QueueView& queue : render_queues(engine(), WallClock(), past)) {
      if (queue.name == path) return queue;
    }
    return {};
  }
};

TEST(Past, TotalsGoOnWhereTheyWere) {
  WithPast h;
  const QueueView fresh = h.shown(Past(9'000), "p.a");
  EXPECT_EQ(fresh.totals_since_ms, 9'000);
  EXPECT_EQ(fresh.jobs_succeeded, 1);
  const Past past(9'000, {{"p.a", some_past()}});
  const QueueView queue = h.shown(past, "p.a");
  EXPECT_EQ(queue.totals_since_ms, 5'000);
  EXPECT_EQ(queue.jobs_succeeded, 8);
  EXPECT_EQ(queue.jobs_failed, 2);
  EXPECT_EQ(queue.map_time->used_ms, fresh.map_time->used_ms + 100);
  EXPECT_EQ(queue.map_time->lost_ms, fresh.map_time->lost_ms + 400);
  EXPECT_EQ(queue.reduce_time->borrowed_ms, fresh.reduce_time->borrowed_ms + 3);
  ASSERT_EQ(queue.users.size(), 2u);
  EXPECT_EQ(queue.users[0].user, "ann");
  EXPECT_EQ(queue.users[0].jobs_succeeded, 5);
  EXPECT_EQ(queue.users[0].lost_map_slot_ms, 40);
  EXPECT_EQ(queue.users[1].user, "bob");
  EXPECT_EQ(queue.users[1].jobs_killed, 1);
  EXPECT_EQ(queue.users[1].jobs_running, 0);
  ASSERT_EQ(queue.kills.size(), 1u);
  EXPECT_EQ(queue.kills[0].at_ms, 4'000);
}

// An inner queue's jobs and use are its leaves', and what it had as a leaf; what it lent is its
// own.
TEST(Past, InnerQueuesAddUpTheirLeavesOnce) {
  WithPast h;
  QueuePast own = some_past();
  own.inner = true;
  own.maps.used_ms = 1'000;
  const Past past(9'000, {{"p.a", some_past()}, {"p", own}});
  const QueueView fresh = h.shown(Past(9'000), "p");
  const QueueView queue = h.shown(past, "p");
  EXPECT_EQ(queue.jobs_succeeded, 1 + 7 + 7);
  EXPECT_EQ(queue.map_time->used_ms, fresh.map_time->used_ms + 1'100);
  EXPECT_EQ(queue.map_time->lent_ms, fresh.map_time->lent_ms + 200);
  EXPECT_TRUE(queue.users.empty());
  const Past::Queues kept = pasts_of(render_queues(h.engine(), WallClock(), past), {{"p", own}});
  EXPECT_EQ(kept.at("p").succeeded, 7);
  EXPECT_EQ(kept.at("p").maps.used_ms, 1'000);
  EXPECT_EQ(kept.at("p").maps.lent_ms, queue.map_time->lent_ms);
  EXPECT_EQ(kept.at("p").users, own.users);
  EXPECT_TRUE(kept.at("p").inner);
  EXPECT_EQ(kept.at("p.a").succeeded, 8);
}

struct Leafy : CapacityHarness {
  Leafy(bool leaf, const std::string& removed_to) {
    QueueSettings parent = queue("p", 100);
    if (!leaf) parent.queues = {queue("a", 50), queue("b", 50)};
    add_queue(parent);
    if (!removed_to.empty()) settings().removed_queues = {{"p", removed_to}};
    start();
  }
  std::vector<QueueView> shown(Past::Queues stored) {
    Past past(9'000, std::move(stored));
    past.follow(settings(), state().tree());
    return render_queues(engine(), WallClock(), past);
  }
};

std::int64_t jobs_of_users(const QueueView& queue) {
  std::int64_t jobs = 0;
  for (const QueueView::User& user : queue.users)
    jobs += *user.jobs_succeeded + *user.jobs_failed + *user.jobs_killed;
  return jobs;
}

void expect_had(const QueueView& queue, const std::string& name, std::int64_t succeeded,
                std::int64_t used_ms, std::int64_t lent_ms) {
  EXPECT_EQ(queue.name, name);
  EXPECT_EQ(queue.jobs_succeeded, succeeded) << name;
  EXPECT_EQ(queue.map_time->used_ms, used_ms) << name;
  EXPECT_EQ(queue.map_time->lent_ms, lent_ms) << name;
}

// Each start finds what the one before has kept, and a queue that is there all the time never has
// had less, or what it had twice.
TEST(Past, AQueueThatBecomesALeafAndAnInnerOneAgainHasHadTheSame) {
  std::vector<QueueView> inner =
      Leafy(false, "").shown({{"p.a", some_past()}, {"p.b", some_past()}});
  ASSERT_EQ(inner.size(), 3u);
  expect_had(inner[0], "p", 14, 200, 0);  // leaves alone: nothing says what it had lent
  for (const std::string to : {"p", ""}) {
    const auto leaf = Leafy(true, to).shown(pasts_of(inner, {}));
    ASSERT_EQ(leaf.size(), 1u);
    expect_had(leaf[0], "p", 14, 200, 0);
    EXPECT_EQ(jobs_of_users(leaf[0]), 2 * 10);
    const Past::Queues kept = pasts_of(leaf, {});
    const auto again = Leafy(false, "").shown(kept);
    ASSERT_EQ(again.size(), 3u);
    expect_had(again[0], "p", 14, 200, 0);
    expect_had(again[1], "p.a", 0, 0, 0);
    const auto twice = Leafy(true, "").shown(pasts_of(again, kept));
    expect_had(twice[0], "p", 14, 200, 0);
    EXPECT_EQ(jobs_of_users(twice[0]), 2 * 10);
  }
}

// What it lent as a leaf stays with it; its jobs and their users go where the settings say.
TEST(Past, ALeafThatBecomesAnInnerQueueHandsItOnIfSettingsSaySo) {
  const auto inner = Leafy(false, "p.b").shown({{"p", some_past()}});
  ASSERT_EQ(inner.size(), 3u);
  expect_had(inner[0], "p", 7, 100, 200);
  expect_had(inner[1], "p.a", 0, 0, 0);
  expect_had(inner[2], "p.b", 7, 100, 0);
  EXPECT_EQ(jobs_of_users(inner[2]), 10);
  EXPECT_EQ(inner[0].kills.size(), 1u);
  EXPECT_TRUE(pasts_of(inner, {{"p", some_past()}}).at("p").users.empty());
}

TEST(Past, WhatIsKeptOfAViewIsFoundInItAgain) {
  WithPast h;
  const Past past(9'000, {{"p.a", some_past()}});
  const QueuePast kept = past_of(h.shown(past, "p.a"));
  WithPast restarted;  // the same, and it has had one job of its own since
  const QueueView queue = restarted.shown(Past(99'000, {{"p.a", kept}}), "p.a");
  EXPECT_EQ(queue.totals_since_ms, 5'000);
  EXPECT_EQ(queue.jobs_succeeded, 9);
  EXPECT_EQ(queue.users[0].jobs_succeeded, 6);
  EXPECT_EQ(queue.kills.size(), 1u);
}

TEST(Past, OfUsersThatAreGoneTheLastOnesAreShown) {
  WithPast h;
  QueuePast past;
  for (int i = 0; i < 80; ++i) past.users.push_back({"u" + std::to_string(i), 1});
  const QueueView queue = h.shown(Past(0, {{"p.a", past}}), "p.a");
  EXPECT_EQ(queue.users.size(), Past::kUsersShown);
  EXPECT_EQ(queue.users[1].user, "u0");
}

TEST(Past, KillsOfThisStartComeFirst) {
  QueueView queue;
  queue.name = "a";
  queue.kills.resize(Past::kKillsShown - 1);
  QueuePast past = some_past();
  past.kills.push_back(past.kills.front());
  Past(0, {{"a", past}}).add_kills(queue);
  EXPECT_EQ(queue.kills.size(), Past::kKillsShown);
  EXPECT_EQ(queue.kills.back().at_ms, 4'000);
}

TEST(Past, ARemovedQueueHandsItOn) {
  Settings settings;
  settings.queues = {queue("a", 50), queue("c", 50)};
  settings.removed_queues = {{"b", "c"}};
  const auto tree = QueueTree::build(settings.queues);
  QueuePast of_c;
  of_c.since = 3'000;
  of_c.succeeded = 10;
  of_c.users = {{"bob", 5}};
  Past past(9'000, {{"b", some_past()}, {"c", of_c}, {"gone", some_past()}});
  past.follow(settings, *tree);
  QueueView c;
  c.name = "c";
  c.leaf = true;
  past.add_totals(c);
  past.add_kills(c);
  EXPECT_EQ(c.jobs_succeeded, 17);
  EXPECT_EQ(c.totals_since_ms, 3'000);
  ASSERT_EQ(c.users.size(), 2u);
  EXPECT_EQ(c.users[0].jobs_succeeded, 8);
  EXPECT_EQ(c.kills.size(), 1u);
  QueueView b;
  b.name = "b";
  b.leaf = true;
  past.add_totals(b);
  EXPECT_EQ(b.jobs_succeeded, 0);
  QueueView gone;  // it may come back
  gone.name = "gone";
  gone.leaf = true;
  past.add_totals(gone);
  EXPECT_EQ(gone.jobs_succeeded, 7);
}

}  // namespace
}  // namespace weir::test
