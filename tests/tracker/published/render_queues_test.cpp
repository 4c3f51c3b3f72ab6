// What readers see of queues: figures, users, claims, kills, and what becomes of them in parents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capacity/capacity_harness.h"
#include "fair/fair_harness.h"
#include "fifo/fifo_policy.h"
#include "tracker/published/render.h"

namespace weir::test {
namespace {

using ::testing::ElementsAre;

template <class PolicyHarness>
struct Seen : PolicyHarness {
  WallClock wall;
  QueueView queue_view(const std::string& path) {
    for (QueueView& queue : render_queues(this->engine(), wall, Past())) {
      if (queue.name == path) return queue;
    }
    ADD_FAILURE() << "no queue " << path;
    return {};
  }
  // Users in the order in which they are listed.
  std::vector<std::string> users_of(const std::string& path) {
    std::vector<std::string> names;
    for (const QueueView::User& user : queue_view(path).users) names.push_back(user.user);
    return names;
  }
};
using SeenCapacity = Seen<CapacityHarness>;
using SeenFair = Seen<FairHarness>;

struct CapacityOrFifo : Harness {
  CapacityOrFifo()
      : Harness(
            [](std::string_view name, const ClusterState& state,
               PolicyMemory& memory) -> std::unique_ptr<Policy> {
              if (name == "fifo") return std::make_unique<FifoPolicy>(state);
              return capacity_only()(name, state, memory);
            },
            "capacity") {}
};

QueueSettings reclaimed(QueueSettings settings, DurationMs after) {
  settings.reclaim_after_ms[0] = settings.reclaim_after_ms[1] = after;
  return settings;
}

// b's job runs on all four slots, half of them a's, for which a's job then waits.
template <class SeenHarness>
void lend_and_claim(SeenHarness& h) {
  h.add_queue(reclaimed(queue("a", 50), 10'000)).add_queue(reclaimed(queue("b", 50), 10'000));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "b", .user = "bob", .maps = 8});
  h.heartbeat("tt1");
  h.now += 1'000;
  h.submit({.queue = "a", .user = "ann", .maps = 2});
  h.advance(0);
}

TEST(RenderQueues, WhatIsLentAndBorrowed) {
  SeenCapacity h;
  h.add_queue(queue("a", 50)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "b", .maps = 8});
  h.heartbeat("tt1");
  EXPECT_EQ(h.queue_view("a").maps.lends, 2);
  EXPECT_EQ(h.queue_view("a").maps.borrows, 0);
  EXPECT_EQ(h.queue_view("b").maps.lends, 0);
  EXPECT_EQ(h.queue_view("b").maps.borrows, 2);
  EXPECT_EQ(h.queue_view("b").maps.pending, 4);
  h.submit({.queue = "a", .maps = 8});  // all of it is a's again, though b runs there
  EXPECT_EQ(h.queue_view("a").maps.running, 0);
  EXPECT_EQ(h.queue_view("a").maps.lends, 0);
}

TEST(RenderQueues, TheAgeOfAClaimDoesNotCountWhatTheJobTrackerWasDown) {
  SeenCapacity h;
  lend_and_claim(h);
  h.wall.started(1, 1);
  h.now += 3'000;
  h.wall.started(h.now, h.now + 600'000);
  h.step(Durable{h.engine().last_seq()});
  const QueueView::Claim claim = h.queue_view("a").claims.at(0);
  EXPECT_EQ(claim.owed_ms, 3'000);
  EXPECT_EQ(h.wall.at(h.now) - *claim.opened_at_ms, 603'000);
}

TEST(RenderQueues, AQueueBelowAStoppedOneIsStopped) {
  SeenCapacity h;
  QueueSettings parent = queue("a", 50);
  parent.queues = {queue("x", 50), queue("y", 50)};
  h.add_queue(parent).add_queue(queue("b", 50));
  h.step(SetQueueState{{"root", {}}, "a", true});
  for (const char* path : {"a", "a.x", "a.y"})
    EXPECT_EQ(h.queue_view(path).state, "STOPPED") << path;
  EXPECT_EQ(h.queue_view("b").state, "RUNNING");
  h.step(SetQueueState{{"root", {}}, "a", false});
  EXPECT_EQ(h.queue_view("a.x").state, "RUNNING");
}

TEST(RenderQueues, AShareIsRoundedAndNobodyLends) {
  SeenFair h;
  for (const char* name : {"a", "b", "c"}) h.add_queue(queue(name));
  h.section->pool_name_property = "queue";
  h.add_tracker("tt1", {.map_slots = 8});
  for (const char* name : {"a", "b", "c"}) h.submit({.queue = name, .maps = 9, .pool = name});
  EXPECT_EQ(h.queue_view("a").maps.share_thousandths, 2'667);  // of 2.6666...
  EXPECT_FALSE(h.queue_view("a").maps.lends.has_value());
  EXPECT_FALSE(h.queue_view("a").maps.borrows.has_value());
}

TEST(RenderQueues, AClaimIsOverdueFromItsDeadlineOn) {
  SeenCapacity h;
  lend_and_claim(h);
  QueueView::Claim claim = h.queue_view("a").claims.at(0);
  EXPECT_EQ(claim.slots, 2);
  EXPECT_EQ(claim.state, "waiting");
  EXPECT_EQ(claim.milliseconds_left, 10'000);
  EXPECT_EQ(claim.opened_at_ms, h.now);
  EXPECT_EQ(claim.deadline_ms, h.now + 10'000);
  EXPECT_FALSE(claim.overdue_ms.has_value());
  EXPECT_FALSE(claim.width.has_value());
  h.now += 10'000;
  h.step(Durable{h.engine().last_seq()});  // the time moves, and no kill is planned
  claim = h.queue_view("a").claims.at(0);
  EXPECT_EQ(claim.state, "due");
  EXPECT_EQ(claim.milliseconds_left, 0);
  EXPECT_EQ(claim.owed_ms, 10'000);
  EXPECT_EQ(claim.overdue_ms, 0);
}

TEST(RenderQueues, AClaimThatStandsStillKillsAtNoTime) {
  Seen<CapacityOrFifo> h;
  lend_and_claim(h);
  h.step(SetPolicy{{"root", {}}, "fifo"});
  h.now += 3'000;
  const QueueView::Claim claim = h.queue_view("a").claims.at(0);
  EXPECT_EQ(claim.state, "paused");
  EXPECT_EQ(claim.milliseconds_left, -1);
  EXPECT_FALSE(claim.deadline_ms.has_value());
}

TEST(RenderQueues, AClaimThatNeverKillsHasNoDeadline) {
  SeenCapacity h;
  h.add_queue(reclaimed(queue("a", 50), kNever)).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit({.queue = "b", .maps = 8});
  h.heartbeat("tt1");
  h.submit({.queue = "a", .maps = 2});
  h.advance(0);
  const QueueView a = h.queue_view("a");
  EXPECT_EQ(a.claims.at(0).milliseconds_left, -1);
  EXPECT_FALSE(a.claims.at(0).deadline_ms.has_value());
  EXPECT_EQ(a.reclaim_after_map_ms, -1);
  EXPECT_NE(h.queue_view("b").reclaim_after_map_ms, -1);
}

TEST(RenderQueues, AKillIsToldToBothNewestFirst) {
  SeenCapacity h;
  lend_and_claim(h);
  h.advance(9'000);
  h.advance(2'000);  // both of a's slots are taken back
  const QueueView victim = h.queue_view("b"), claimant = h.queue_view("a");
  ASSERT_EQ(victim.kills.size(), 2u);
  ASSERT_EQ(claimant.kills.size(), 2u);
  const QueueView::Kill& kill = victim.kills[0];
  EXPECT_EQ(kill.victim, "b");
  EXPECT_EQ(kill.claimant, "a");
  EXPECT_EQ(kill.user, "bob");
  EXPECT_EQ(kill.tracker, "tt1");
  EXPECT_EQ(kill.ran_ms, 12'000);
  EXPECT_EQ(kill.outcome, "pending");
  EXPECT_EQ(victim.kills[0].attempt, "attempt_0001_m_000002_0");
  EXPECT_EQ(victim.kills[1].attempt, "attempt_0001_m_000003_0");
  ASSERT_EQ(claimant.holds.size(), 2u);  // one for each kill
  EXPECT_EQ(claimant.holds[0].dying, 1);
  EXPECT_EQ(claimant.holds[0].slots, 1);
}

TEST(RenderQueues, WhatIsLoggedAgainAndAgainIsToldOnce) {
  SeenCapacity h;
  auto section = std::make_shared<CapacitySettings>();
  section->preemption = CapacitySettings::Preemption::kLogOnly;
  h.settings().policies["capacity"] = section;
  lend_and_claim(h);
  h.advance(10'000);
  h.advance(10'000);
  EXPECT_EQ(h.state().claims().records().size(), 4u);
  const QueueView victim = h.queue_view("b");
  ASSERT_EQ(victim.kills.size(), 2u);
  EXPECT_EQ(victim.kills[0].outcome, "logged_only");
  EXPECT_NE(victim.kills[0].attempt, victim.kills[1].attempt);
  for (const QueueView::Kill& kill : victim.kills) EXPECT_EQ(kill.owed_ms, 20'000) << "the last";
}

TEST(RenderQueues, AClaimantThatGotQueuesOfItsOwnIsNamed) {
  SeenCapacity h;
  lend_and_claim(h);
  h.advance(10'000);
  ASSERT_EQ(h.queue_view("b").kills.size(), 2u);
  auto split = std::make_shared<Settings>(h.settings());
  split->queues[0].queues = {queue("x", 100)};
  split->removed_queues = {{"a", "a.x"}};
  h.step(ApplySettings{{"root", {}}, split});
  EXPECT_EQ(h.queue_view("b").kills.at(0).claimant, "a");
  EXPECT_EQ(h.queue_view("a").kills.size(), 2u);
}

TEST(RenderQueues, UsersWithSomethingHereComeFirstThenTheLatestThatWere) {
  SeenCapacity h;
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  for (const char* user : {"ann", "bob", "cid"}) {
    h.now += 1'000;
    h.submit({.user = user, .maps = 1});
    h.heartbeat("tt1");
    h.finish_all("tt1");
    h.settle("tt1");
  }
  h.submit({.user = "dan", .maps = 1});
  EXPECT_THAT(h.users_of("default"), ElementsAre("dan", "cid", "bob", "ann"));
  const QueueView::User cid = h.queue_view("default").users[1];
  EXPECT_EQ(cid.jobs_succeeded, 1);
  EXPECT_EQ(cid.jobs, 0);
  EXPECT_EQ(cid.jobs_running, 0);
}

TEST(RenderQueues, JobsThatHaveStartedAndThoseThatHaveNot) {
  SeenCapacity h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.user = "ann", .maps = 1});
  h.submit({.user = "ann", .maps = 1});
  h.submit({.user = "ann", .maps = 1, .hold = true});
  h.heartbeat("tt1");
  const QueueView seen = h.queue_view("default");
  EXPECT_EQ(seen.jobs_running, 1);
  EXPECT_EQ(seen.jobs_pending, 1);
  EXPECT_EQ(seen.jobs_waiting, 1);
  EXPECT_EQ(seen.users.at(0).jobs, 3);
  EXPECT_EQ(seen.users.at(0).jobs_running, 1);
  EXPECT_EQ(seen.users.at(0).jobs_pending, 1);
  EXPECT_EQ(seen.users.at(0).jobs_waiting, 1);
}

TEST(RenderQueues, AUsersLimitIsNoMoreThanTheQueuesMaximum) {
  SeenCapacity h;
  QueueSettings a = with_user_minimum(queue("a", 50), 100);
  a.user_limit.factor_millionths = 4'000'000;  // of 5
  a.maximum_hundredths = 60'00;
  h.add_queue(a).add_queue(queue("b", 50));
  h.add_tracker("tt1", {.map_slots = 10, .reduce_slots = 0});
  h.submit({.queue = "a", .user = "ann", .maps = 9});
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J1/m3 J1/m4 J1/m5");  // one more would be 7
  EXPECT_EQ(h.queue_view("a").maps.maximum, 6);
  EXPECT_EQ(h.queue_view("a").users.at(0).limit_maps, 6);
}

TEST(RenderQueues, AParentHasWhatItsLeavesHave) {
  SeenCapacity h;
  h.add_queue(with_children(queue("p", 100), {queue("a", 50), queue("b", 50)}));
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit({.queue = "p.a", .maps = 1});
  h.heartbeat("tt1");
  h.now += 3'000;
  h.finish_all("tt1");
  h.settle("tt1");
  h.submit({.queue = "p.b", .maps = 1, .hold = true});
  const QueueView parent = h.queue_view("p");
  EXPECT_FALSE(parent.leaf);
  EXPECT_EQ(parent.jobs_succeeded, 1);
  EXPECT_EQ(parent.jobs_waiting, 1);
  EXPECT_EQ(parent.map_time->used_ms, 3'000);
  EXPECT_TRUE(parent.users.empty());
}

TEST(RenderQueues, WithoutTrackersWhatMayRunPends) {
  SeenCapacity h;
  h.add_queue(with_children(queue("p", 100), {queue("a", 50), queue("b", 50)}));
  h.submit({.queue = "p.a", .maps = 3, .slots_per_map = 2});
  h.submit({.queue = "p.a", .maps = 5, .hold = true});
  EXPECT_EQ(h.queue_view("p.a").maps.pending, 6);
  EXPECT_EQ(h.queue_view("p").maps.pending, 6);
  EXPECT_EQ(h.queue_view("p.b").maps.pending, 0);
}

}  // namespace
}  // namespace weir::test
