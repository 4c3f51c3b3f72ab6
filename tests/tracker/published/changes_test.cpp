// What changed between two versions, and who is told of it.
#include "tracker/published/changes.h"

#include <gtest/gtest.h>

#include <future>

#include "support/fifo_harness.h"
#include "tracker/published/change_feed.h"
#include "tracker/published/view_publisher.h"

namespace weir::test {
namespace {

using std::chrono::milliseconds;

struct ChangesHarness : FifoHarness {
  WallClock wall;
  ViewPublisher publisher{[](const std::function<void()>& work) { work(); }, wall};
  ChangesHarness() { publisher.publish_all(engine()); }
  PublishedViewsPtr next() {
    publisher.publish_changes(engine());
    return publisher.latest();
  }
};

std::vector<std::uint32_t> numbers(const ViewChanges& changes) {
  std::vector<std::uint32_t> out;
  for (const auto& job : changes.jobs) out.push_back(job->id.value);
  return out;
}

// Says the topics that have changed.
std::vector<ChangeBatch::Part> topics(const ViewChanges& changes) {
  std::vector<ChangeBatch::Part> out;
  if (!changes.jobs.empty()) out.push_back({"jobs", std::to_string(changes.jobs.size())});
  if (!changes.trackers.empty()) out.push_back({"trackers", changes.trackers[0]->view.name});
  return out;
}

PublishedViewsPtr version(std::int64_t number) {
  auto views = std::make_shared<PublishedViews>();
  views->version = number;
  views->queues = std::make_shared<const std::vector<QueueView>>();
  return views;
}

TEST(Changes, OnlyJobsThatAreNowOtherwiseAreTold) {
  ChangesHarness h;
  for (int i = 0; i < 600; ++i) h.submit({.maps = 1});
  h.add_tracker("tt1", {.map_slots = 1});
  const auto before = h.next();
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0");
  const auto after = h.next();
  EXPECT_EQ(numbers(changes_between(before, after)), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(changes_between(after, after).empty());
}

TEST(Changes, ANewJobAndQueueAreToldAndATrackerThatWasOnlyHeardOfIsNot) {
  ChangesHarness h;
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  const auto before = h.next();
  ++h.now;
  h.heartbeat("tt1");
  h.submit({.maps = 1});
  const auto changes = changes_between(before, h.next());
  EXPECT_EQ(numbers(changes), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(changes.trackers.empty());
  ASSERT_EQ(changes.queues.size(), 1u);
  EXPECT_EQ(changes.queues[0]->name, "default");
  EXPECT_TRUE(changes.cluster);  // one more unfinished job
  EXPECT_FALSE(changes.policy);
}

TEST(Changes, ALostTrackerAndAForgottenOneAreTold) {
  ChangesHarness h;
  h.add_tracker("tt1");
  const auto live = h.next();
  h.step(LoseTracker{"tt1"});
  const auto lost = h.next();
  const auto loss = changes_between(live, lost);
  ASSERT_EQ(loss.trackers.size(), 1u);
  EXPECT_EQ(loss.trackers[0]->view.state, "LOST");
  h.step(ForgetTrackers{{"root", {}}, {"tt1"}});
  EXPECT_EQ(changes_between(lost, h.next()).trackers_removed, std::vector<std::string>{"tt1"});
}

TEST(Changes, MoreJobsThanAskedForAreManyAndNoneIsNamed) {
  ChangesHarness h;
  const auto before = h.publisher.latest();
  for (int i = 0; i < 4; ++i) h.submit({.maps = 1});
  const auto after = h.next();
  EXPECT_EQ(changes_between(before, after, 4).jobs.size(), 4u);
  const auto many = changes_between(before, after, 3);
  EXPECT_TRUE(many.many_jobs);
  EXPECT_TRUE(many.jobs.empty());
}

TEST(Changes, QueuesGoByTheirPathsWhenThereAreOthers) {
  auto before = std::make_shared<PublishedViews>();
  auto after = std::make_shared<PublishedViews>();
  QueueView a, b, c;
  a.name = "a", b.name = "b", c.name = "c";
  before->queues = std::make_shared<const std::vector<QueueView>>(std::vector{a, b});
  after->queues = std::make_shared<const std::vector<QueueView>>(std::vector{c, b});
  const auto changes = changes_between(before, after);
  ASSERT_EQ(changes.queues.size(), 1u);
  EXPECT_EQ(changes.queues[0]->name, "c");
  EXPECT_EQ(changes.queues_removed, std::vector<std::string>{"a"});
  EXPECT_TRUE(changes.queues_reordered);
}

TEST(ChangeLog, OneBatchASecondHoweverManyVersions) {
  ChangesHarness h;
  ChangeLog log(topics);
  const ChangeLog::Clock::time_point start{};
  EXPECT_EQ(log.look(start, h.publisher.latest()).batch, nullptr);
  h.submit({.maps = 1});
  EXPECT_NE(log.look(start + milliseconds(1'000), h.next()).batch, nullptr);
  h.submit({.maps = 1});
  EXPECT_EQ(log.look(start + milliseconds(1'999), h.next()).batch, nullptr);
  h.submit({.maps = 1});
  const auto news = log.look(start + milliseconds(2'000), h.next());
  ASSERT_NE(news.batch, nullptr);
  ASSERT_EQ(news.batch->parts.size(), 1u);
  EXPECT_EQ(news.batch->parts[0].text, "2");
}

TEST(ChangeLog, WhoWasAwayIsToldOfWhatHeMissedOrToReadAnew) {
  ChangeLog log(topics, {.gap = milliseconds(1), .keep = milliseconds(100), .bytes = 1 << 20});
  ChangeLog::Clock::time_point now{};
  EXPECT_FALSE(log.since(0));  // nothing was looked at
  for (const std::int64_t v : {10, 20, 30, 40}) log.look(now += milliseconds(40), version(v));
  ASSERT_TRUE(log.since(20));
  EXPECT_EQ(log.since(20)->size(), 2u);
  EXPECT_EQ(log.since(25)->size(), 2u);  // 20 to 30 once more
  EXPECT_EQ(log.since(40)->size(), 0u);
  EXPECT_FALSE(log.since(41));  // of another JobTracker
  log.look(now += milliseconds(90), version(50));
  EXPECT_FALSE(log.since(20));  // too long ago
  EXPECT_EQ(log.since(40)->size(), 1u);
}

TEST(ChangeLog, WhatIsKeptIsBoundedByBytes) {
  const auto large = [](const ViewChanges&) {
    return std::vector<ChangeBatch::Part>{{"jobs", std::string(10'000, 'x')}};
  };
  ChangeLog log(large, {.gap = milliseconds(1), .bytes = 35'000});
  ChangesHarness h;
  ChangeLog::Clock::time_point now{};
  const std::int64_t first = h.publisher.version();
  log.look(now, h.publisher.latest());
  for (int i = 0; i < 10; ++i) {
    h.submit({.maps = 1});
    log.look(now += milliseconds(2), h.next());
    EXPECT_LE(log.bytes(), 35'000u);
  }
  EXPECT_FALSE(log.since(first));
  EXPECT_EQ(log.since(h.publisher.version() - 3)->size(), 3u);
}

TEST(ChangeFeed, AListenerIsToldAndOneWhoLeftIsNot) {
  ChangesHarness h;
  ChangeFeed feed(h.publisher, topics, {.gap = milliseconds(1)});
  std::promise<ChangeBatchPtr> told;
  auto first = std::make_shared<std::atomic<bool>>(true);
  const auto there = feed.subscribe({}, [&told, first](const ChangeBatchPtr& batch,
                                                       const ViewChanges& changes) {
    EXPECT_EQ(changes.jobs.size(), 1u);
    if (first->exchange(false)) told.set_value(batch);
  });
  const auto gone = feed.subscribe({}, [](const auto&, const auto&) { FAIL(); });
  feed.unsubscribe(gone.token);
  EXPECT_EQ(there.version, h.publisher.version());
  h.submit({.maps = 1});
  h.next();
  const ChangeBatchPtr batch = told.get_future().get();
  EXPECT_EQ(batch->from, there.version);
  EXPECT_EQ(batch->version, h.publisher.version());
  // Who has seen the version before is told of it; who has seen something unknown reads anew.
  const auto back = feed.subscribe(there.version, [](const auto&, const auto&) {});
  EXPECT_FALSE(back.reload);
  ASSERT_EQ(back.missed.size(), 1u);
  EXPECT_EQ(back.missed[0], batch);
  EXPECT_TRUE(feed.subscribe(there.version - 1, [](const auto&, const auto&) {}).reload);
  feed.stop();
}

}  // namespace
}  // namespace weir::test
