// Pieces of series in the store: written behind, replaced, removed, there in older stores too.
#include <atomic>
#include <future>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jobqueue/store/group_committer.h"
#include "jobqueue/store/schema.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::UnorderedElementsAre;

SeriesRow row(DurationMs step, TimeMs start, std::string data, std::string series = "a.b") {
  return {step, start, std::move(series), std::move(data)};
}

std::vector<SeriesRow> stored(Store& store) {
  std::vector<SeriesRow> out;
  auto history = store.history();
  EXPECT_TRUE(history.ok());
  EXPECT_TRUE((*history)->series([&](const SeriesRow& r) { out.push_back(r); }).ok());
  return out;
}

TEST(StoreSeries, AreGivenBackByteByByteAndReplaced) {
  const auto store = make_memory_store(trivial_codec());
  ASSERT_TRUE(store->load().ok());
  const std::string bytes("\x01\x00\xff\x80z", 5);
  ASSERT_TRUE(store->put_series(std::vector{row(1, 64, "old"), row(1, 128, "x")}, {}).ok());
  ASSERT_TRUE(store->put_series(std::vector{row(1, 64, bytes), row(1, 64, "y", "c")}, {}).ok());
  EXPECT_THAT(stored(*store),
              UnorderedElementsAre(row(1, 64, bytes), row(1, 128, "x"), row(1, 64, "y", "c")));
}

TEST(StoreSeries, ThoseOfAStepThatAreTooOldLeaveALimitedNumberAtATime) {
  const auto store = make_memory_store(trivial_codec());
  ASSERT_TRUE(store->load().ok());
  std::vector<SeriesRow> rows = {row(10, 0, "other step"), row(1, 5'000, "younger")};
  for (int i = 0; i < 400; ++i) rows.push_back(row(1, i, "old"));
  ASSERT_TRUE(store->put_series(rows, {}).ok());
  const std::vector<SeriesRetention> keep = {{1, 5'000}};
  ASSERT_TRUE(store->put_series({}, keep).ok());
  EXPECT_EQ(stored(*store).size(), 152u);
  ASSERT_TRUE(store->put_series({}, keep).ok());
  EXPECT_THAT(stored(*store), UnorderedElementsAre(rows[0], rows[1]));
}

TEST(StoreSeries, AreInAStoreOfAnOlderVersionToo) {
  TemporaryDirectory directory;
  const std::string path = directory.file("weir.db");
  {
    Database old(path);
    ASSERT_TRUE(migrate(old, path, store_migrations().first(10)).ok());
    ASSERT_TRUE(old.ok()) << old.message();
  }
  auto store = open_sqlite_store(path, trivial_codec());
  ASSERT_TRUE(store.ok()) << store.error().message;
  ASSERT_TRUE((*store)->load().ok());
  EXPECT_TRUE((*store)->put_series(std::vector{row(1, 64, "x")}, {}).ok());
  EXPECT_EQ(stored(**store).size(), 1u);
}

TEST(StoreSeries, TheWriterWritesAllOfThemBeforeItStops) {
  FailingStore store;
  ASSERT_TRUE(store.load().ok());
  GroupCommitter committer(store, {.on_durable = [](std::uint64_t) {},
                                   .on_failed = [](std::uint64_t, const std::string&) {}});
  SeriesWrite write;
  for (int i = 0; i < 5'000; ++i) write.rows.push_back(row(1, i, "x"));
  committer.put_series(write);
  committer.put_series({.rows = {row(2, 0, "last")}, .keep = {{1, 10}}});
  committer.stop();
  EXPECT_EQ(stored(store).size(), 5'000u - 10 + 1);
}

// Holds the first pieces until the test lets them go, and notes how many came before a promise.
class HeldStore final : public FailingStore {
 public:
  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    if (++transactions_ == 1) gate_.get_future().wait();
    return FailingStore::put_series(rows, keep);
  }
  Status append(std::span<const Event> events) override {
    before_promise = transactions_;
    return FailingStore::append(events);
  }
  void let_go() { gate_.set_value(); }

  int before_promise = 0;

 private:
  std::promise<void> gate_;
  int transactions_ = 0;
};

TEST(StoreSeries, APromiseWaitsForOneTransactionOfThemAtMost) {
  HeldStore store;
  ASSERT_TRUE(store.load().ok());
  std::promise<void> durable;
  GroupCommitter committer(store, {.on_durable = [&](std::uint64_t) { durable.set_value(); },
                                   .on_failed = [](std::uint64_t, const std::string&) {}});
  SeriesWrite write;
  for (int i = 0; i < 10'000; ++i) write.rows.push_back(row(1, i, "x"));
  committer.put_series(std::move(write));
  EXPECT_FALSE(committer.room_for_series());
  EventMaker make;
  committer.push({make(submitted(1))});
  store.let_go();
  durable.get_future().wait();
  committer.stop();
  EXPECT_LE(store.before_promise, 1);
  EXPECT_EQ(stored(store).size(), 10'000u);
}

// Series and the past both write, and each says what it no longer keeps.
TEST(StoreSeries, WhatSeveralNoLongerKeepLeavesOfEach) {
  HeldStore store;
  ASSERT_TRUE(store.load().ok());
  GroupCommitter committer(store, {.on_durable = [](std::uint64_t) {},
                                   .on_failed = [](std::uint64_t, const std::string&) {}});
  committer.put_series({.rows = {row(1, 0, "x"), row(1, 15, "x"), row(2, 0, "x"), row(2, 5, "x")}});
  committer.put_series({.keep = {{1, 10}}});
  committer.put_series({.keep = {{2, 3}}});
  store.let_go();
  committer.stop();
  EXPECT_THAT(stored(store), UnorderedElementsAre(row(1, 15, "x"), row(2, 5, "x")));
}

TEST(StoreSeries, WhatAStoreThatFailsRefusesIsNotTriedAgainAndFactsAre) {
  FailingStore store;
  ASSERT_TRUE(store.load().ok());
  std::atomic<std::uint64_t> durable = 0;
  GroupCommitter committer(store,
                           {.on_durable = [&](std::uint64_t seq) { durable = seq; },
                            .on_failed = [](std::uint64_t, const std::string&) {}},
                           {.retry_after_ms = 1});
  constexpr auto kTransactions = GroupCommitter::kSeriesWaiting / GroupCommitter::kSeriesRows;
  store.fail_next(kTransactions + 1, "full");
  SeriesWrite write;
  for (std::size_t i = 0; i < GroupCommitter::kSeriesWaiting; ++i)
    write.rows.push_back(row(1, static_cast<TimeMs>(i), "x"));
  committer.put_series(std::move(write));
  while (!committer.room_for_series()) std::this_thread::yield();
  EventMaker make;
  committer.push({make(JobStateChanged{job(1), JobState::kKilled, "", false})});
  while (durable == 0) std::this_thread::yield();
  committer.stop();
  EXPECT_LT(stored(store).size(), GroupCommitter::kSeriesRows * 2);
}

}  // namespace
}  // namespace weir
