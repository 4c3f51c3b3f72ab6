// What is kept of the past, how it is written, and that a restart finds it.
#include "tracker/past/past_keeper.h"

#include <gmock/gmock.h>

#include <atomic>

#include "jobqueue/store/sqlite_store.h"
#include "jobqueue/store/store_fixture.h"
#include "support/fifo_harness.h"
#include "tracker/past/past_codec.h"

namespace weir::test {
namespace {

using store_test::FailingStore;
using testing::ElementsAre;

QueuePast some_past() {
  QueuePast past;
  past.since = 1;
  past.maps = {2, 3, 4, 5};
  past.reduces = {6, 7, 8, 9};
  past.succeeded = 10;
  past.failed = 11;
  past.killed = 12;
  past.users = {{"ann", 13, 14, 15, 16, 17, 18, 19}, {"b\xff", 1, 0, 0, 0, 0, 0, 0}};
  past.kills = {{.at_ms = 20,
                 .claim = 21,
                 .claimant = "a",
                 .owed_ms = 22,
                 .victim = "b",
                 .user = "bob",
                 .job_name = "job_0001",
                 .attempt = "attempt_0001_m_000000_0",
                 .tracker = "tt1",
                 .slots = 23,
                 .ran_ms = 24,
                 .outcome = "wasted"}};
  return past;
}

TEST(PastCodec, AQueueIsReadAsItWasWritten) {
  QueuePast past = some_past();
  past.users.pop_back();  // what is not UTF-8 is replaced
  EXPECT_EQ(decode_queue(encode(past)), past);
  EXPECT_EQ(decode_queue(encode(some_past()))->users.size(), 2u);
  past.kills[0].outcome = "pending";
  EXPECT_EQ(decode_queue(encode(past))->kills[0].outcome, "unknown");
}

QueuePast past_of_containers() {
  QueuePast past = some_past();
  past.users.pop_back();
  past.amounts = {{"memory_mb", {30, 31, 32, 33}}, {"gpu", {34, 35, 36, 37}}};
  past.users[0].amounts = {{"memory_mb", {38, 39}}, {"gpu", {40, 41}}};
  past.kills[0].container = {{"memory_mb", 42}, {"gpu", 43}};
  return past;
}

TEST(PastCodec, OfContainersItGoesByNames) {
  EXPECT_EQ(decode_queue(encode(past_of_containers())), past_of_containers());
}

// A store of before, and what is written where only slots have counted.
TEST(PastCodec, WhatWasWrittenBeforeContainersIsRead) {
  const std::string before =
      R"({"jobs":[10,11,12],"kills":[{"at":20,"attempt":"attempt_0001_m_000000_0","claim":21,)"
      R"("claimant":"a","job":"job_0001","outcome":"wasted","owed":22,"ran":24,"slots":23,)"
      R"("tracker":"tt1","user":"bob","victim":"b"}],"maps":[2,3,4,5],"reduces":[6,7,8,9],)"
      R"("since":1,"users":[["ann",13,14,15,16,17,18,19]]})";
  QueuePast past = some_past();
  past.users.pop_back();
  EXPECT_EQ(decode_queue(before), past);
  EXPECT_EQ(encode(past), before);
}

// Of an inner queue it was the sum of its leaves, which have it themselves.
TEST(PastCodec, SumsThatWereWrittenOfInnerQueuesAreNotRead) {
  const std::string before =
      R"({"dimensions":{"gpu":[1,2,3,4]},"jobs":[10,11,12],"kills":[],"maps":[2,3,4,5],)"
      R"("reduces":[6,7,8,9],"since":1,"users":[]})";
  QueuePast lent;
  lent.since = 1;
  lent.maps = {0, 3, 4, 0};
  lent.reduces = {0, 7, 8, 0};
  lent.amounts = {{"gpu", {0, 2, 3, 0}}};
  EXPECT_EQ(decode_queue(before), lent);
  QueuePast own = some_past();  // what it had as a leaf
  own.users.clear();
  own.inner = true;
  EXPECT_EQ(decode_queue(encode(own)), own);
}

TEST(PastCodec, WhatIsDamagedIsNothing) {
  const std::string whole = encode(past_of_containers());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_queue(whole.substr(0, size))) << size;
  for (const char* text : {"[]", "{}", "null", "{\"since\": \"x\"}", "\xff"}) {
    EXPECT_FALSE(decode_queue(text)) << text;
    EXPECT_EQ(decode_decisions(text), nullptr) << text;
  }
  EXPECT_EQ(decode_decisions(R"({"names": [""], "records": [[1]]})"), nullptr);
  EXPECT_EQ(decode_decisions(R"({"names": [""], "records": []})"), nullptr);
}

struct Kept : FifoHarness {
  Kept() {
    add_tracker("tt1");
    submit({.user = "ann", .maps = 1});
    heartbeat("tt1");
    finish("J1/m0");
    settle("tt1");
    for (; told < FifoHarness::log.size(); ++told) decisions.on(FifoHarness::log[told], engine());
    views.publish_all(engine());
    EXPECT_TRUE(store->load().ok());
  }
  PastKeeper::Parts parts() {
    return {.views = &views,
            .decisions = &decisions,
            .room = [] { return true; },
            .write =
                [this](const SeriesWrite& write) {
                  rows += write.rows.size();
                  EXPECT_TRUE(store->put_series(write.rows, write.keep).ok());
                }};
  }
  // An administrator's word: a decision of the rare kind.
  void drain(const std::string& tracker, TrackerOrder order) {
    step(OrderTrackers{{"root", {}}, {tracker}, order});
    for (; told < FifoHarness::log.size(); ++told) decisions.on(FifoHarness::log[told], engine());
  }

  WallClock wall;
  ViewPublisher views{[](const std::function<void()>& work) { work(); }, wall, Past(77)};
  DecisionLog decisions{1};
  std::size_t told = 0;
  std::size_t rows = 0;
  std::unique_ptr<Store> store = make_memory_store(
      {[](const JobSpec&) { return std::string(); }, [](std::string_view) { return JobSpec(); }});
};

std::vector<std::string> kinds_of(const DecisionLog& log) {
  std::vector<std::string> kinds;
  const auto page = log.read({}, WallClock());
  for (const DecisionView& decision : page->decisions) kinds.push_back(decision.event);
  return kinds;
}

TEST(PastKeeper, ARestartFindsTotalsAndWhatWasRare) {
  Kept h;
  h.drain("tt1", TrackerOrder::kDrain);
  PastKeeper(h.parts(), {}).stop();
  StoredPast past = load_past(*h.store, 1'000'000).value();
  ASSERT_TRUE(past.queues.contains("default"));
  EXPECT_EQ(past.queues["default"].succeeded, 1);
  EXPECT_EQ(past.queues["default"].since, 77);
  ASSERT_EQ(past.queues["default"].users.size(), 1u);
  EXPECT_EQ(past.queues["default"].users[0].name, "ann");
  const DecisionLog again(1'000'000, std::move(past.decisions));
  EXPECT_THAT(kinds_of(again), ElementsAre("tracker", "job", "job", "submit", "tracker"));
  const auto jobs = h.decisions.read({.kinds = {"job", "submit"}}, h.wall);
  EXPECT_EQ(again.read({.kinds = {"job", "submit"}}, h.wall)->decisions, jobs->decisions);
  const auto page = again.read({.kinds = {"tracker"}}, h.wall);
  EXPECT_EQ(page->decisions[0].state, "draining");
  EXPECT_EQ(page->decisions[0].tracker, "tt1");
  EXPECT_EQ(page->decisions[1].map_slots, 2);
  const auto told = h.decisions.read({.kinds = {"tracker"}}, h.wall);
  EXPECT_EQ(page->decisions, told->decisions);
}

TEST(PastKeeper, OnlyWhatHasChangedIsWritten) {
  Kept h;
  PastKeeper(h.parts(), {}).stop();
  EXPECT_EQ(h.rows, 5u);  // a queue, rare decisions and those of jobs; that it runs, and has ended
  Past::Queues stored = load_past(*h.store, 1'000'000).value().queues;
  PastKeeper(h.parts(), stored).stop();
  EXPECT_EQ(h.rows, 9u);  // the decisions of this start once more
}

TEST(PastKeeper, AStartKnowsWhetherTheOneBeforeWasKilled) {
  Kept h;
  EXPECT_FALSE(load_past(*h.store, 1).value().killed);
  auto parts = h.parts();
  parts.gap_ms = 1;
  std::atomic<int> written = 0;
  parts.write = [&, write = parts.write](SeriesWrite rows) {
    if (++written == 1) write(std::move(rows));  // no more of it comes to the disk
  };
  PastKeeper(parts, {}).stop();
  EXPECT_TRUE(load_past(*h.store, 1).value().killed);
  PastKeeper(h.parts(), {}).stop();
  EXPECT_FALSE(load_past(*h.store, 1).value().killed);
}

TEST(PastKeeper, ASegmentThatGoesOnReplacesWhatItWas) {
  Kept h;
  PastKeeper(h.parts(), {}).stop();
  h.drain("tt1", TrackerOrder::kDrain);
  h.drain("tt1", TrackerOrder::kNone);
  PastKeeper(h.parts(), {}).stop();
  const StoredPast past = load_past(*h.store, 1'000'000).value();
  ASSERT_EQ(past.decisions.rare.size(), 1u);
  EXPECT_EQ(past.decisions.rare[0]->size(), 3u);
}

TEST(PastKeeper, ManyStartsTakeNoMoreRoomThanTheirDecisions) {
  Kept h;
  for (std::int64_t start = 1; start <= 700; ++start) {
    DecisionSegment segment;
    DecisionRecord& record = segment.next();
    record.number = start * 1'000;
    record.kind = DecisionKind::kTracker;
    record.tracker = segment.name("tt" + std::to_string(start));
    segment.publish();
    const std::vector<SeriesRow> row = {{kPastDecisions, record.number, "", encode(segment)}};
    ASSERT_TRUE(h.store->put_series(row, {}).ok());
  }
  const StoredPast past = load_past(*h.store, 1'000'000).value();
  const DecisionLog::Segments& rare = past.decisions.rare;
  ASSERT_EQ(rare.size(), 2u);
  EXPECT_EQ(rare[0]->size(), DecisionSegment::kRecords);
  EXPECT_EQ(rare[0]->size() + rare[1]->size(), 700u);
  const DecisionLog log(1'000'000, past.decisions);
  const auto page = log.read({.limit = 1'000}, h.wall);
  ASSERT_EQ(page->decisions.size(), 700u);
  EXPECT_EQ(page->decisions.front().tracker, "tt700");
  EXPECT_EQ(page->decisions.back().tracker, "tt1");
}

// Numbers of this start are not of the past, whatever the store says.
TEST(PastKeeper, DecisionsAreOfThePastAlone) {
  Kept h;
  PastKeeper(h.parts(), {}).stop();
  const StoredPast past = load_past(*h.store, 1).value();
  EXPECT_TRUE(past.decisions.rare.empty());
  EXPECT_TRUE(past.decisions.jobs.empty());
}

// Empty totals would be written over what it has.
TEST(PastKeeper, AStoreThatCannotBeReadIsAnError) {
  class Unreadable final : public FailingStore {
   public:
    Result<std::unique_ptr<History>> history() override {
      return Error{ErrorCode::kStoreFailed, "disk gone", "", {}};
    }
  } store;
  const auto past = load_past(store, 1);
  ASSERT_FALSE(past.ok());
  EXPECT_EQ(past.error().message, "disk gone");
}

TEST(PastKeeper, AQueueThatHandedItsJobsOnKeepsNothing) {
  Kept h;
  const std::vector<SeriesRow> row = {{kPastOfQueues, 0, "old", encode(some_past())}};
  ASSERT_TRUE(h.store->put_series(row, {}).ok());
  auto settings = std::make_shared<Settings>(h.state().settings());
  settings->removed_queues = {{"old", "default"}};
  h.step(ApplySettings{{"root", {}}, settings});
  h.views.publish_changes(h.engine());
  PastKeeper(h.parts(), {{"old", some_past()}}).stop();
  EXPECT_FALSE(load_past(*h.store, 1'000'000).value().queues.contains("old"));
}

}  // namespace
}  // namespace weir::test
