// The writer thread: promises in order, commands refused once, facts never lost.
#include "jobqueue/store/group_committer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::ElementsAre;
using testing::IsEmpty;

// Holds every append at a gate, so that a test decides what becomes one group.
class GatedStore final : public FailingStore {
 public:
  Status append(std::span<const Event> events) override {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    for (const Event& event : events) appended.push_back(event.seq);
    appended.push_back(0);  // end of a group
    return FailingStore::append(events);
  }

  void close() {
    std::lock_guard lock(mutex_);
    open_ = false;
    arrived_ = 0;
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_arrival() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_ > 0; });
  }

  std::vector<std::uint64_t> appended;  // read after stop()

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int arrived_ = 0;
};

// What the callbacks said, as "durable 3" and "failed 4: why".
class Journal {
 public:
  GroupWriterCallbacks callbacks() {
    return {[this](std::uint64_t seq) { add("durable " + std::to_string(seq)); },
            [this](std::uint64_t seq, const std::string& why) {
              add("failed " + std::to_string(seq) + ": " + why);
            },
            [this](bool failing, const std::string& line) {
              std::lock_guard lock(mutex_);
              logged_.push_back((failing ? "bad: " : "good: ") + line);
            }};
  }
  void wait_for(const std::string& line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return std::find(lines_.begin(), lines_.end(), line) != lines_.end(); });
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<std::string> logged() {
    std::lock_guard lock(mutex_);
    return logged_;
  }

 private:
  void add(std::string line) {
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_, logged_;
};

struct Committer : testing::Test {
  GatedStore gate;
  Journal journal;
  EventMaker make;
};

TEST_F(Committer, WhatGathersBehindTheDiskIsOneGroup) {
  gate.close();
  GroupCommitter committer(gate, journal.callbacks());
  committer.push({make(submitted(1))});
  gate.wait_for_arrival();
  committer.push({make(submitted(2)), make(submitted(3))});
  committer.push({make(succeeded(attempt(1, TaskKind::kMap, 0, 0)))});
  gate.open();
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 0, 2, 3, 4, 0));
  EXPECT_THAT(journal.lines(), ElementsAre("durable 1", "durable 4"));
  EXPECT_EQ(committer.waiting_events(), 0u);
}

TEST_F(Committer, WhatNobodyWaitsForGathersUntilSomebodyDoes) {
  GroupCommitter committer(gate, journal.callbacks(), {.gather_ms = 3'600'000});
  committer.push({make(submitted(1))}, false);
  committer.push({make(submitted(2))}, false);
  EXPECT_THAT(journal.lines(), IsEmpty());
  committer.push({make(submitted(3))}, true);
  gate.wait_for_arrival();
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 2, 3, 0));
}

TEST_F(Committer, OrUntilItIsMuchOrAWhileHasPassed) {
  {
    GroupCommitter committer(gate, journal.callbacks(),
                             {.gather_ms = 3'600'000, .gather_events = 2});
    committer.push({make(submitted(1))}, false);
    committer.push({make(submitted(2))}, false);
    gate.wait_for_arrival();
    committer.stop();
  }
  EXPECT_THAT(gate.appended, ElementsAre(1, 2, 0));
  gate.appended.clear();
  GroupCommitter committer(gate, journal.callbacks(), {.gather_ms = 1});
  committer.push({make(submitted(3))}, false);
  journal.wait_for("durable 3");
}

TEST_F(Committer, TheMoreAGroupCostsTheMoreItGathers) {
  using std::chrono::milliseconds;
  const GroupCommitterLimits limits{.gather_ms = 5, .gather_most_ms = 25};
  EXPECT_EQ(limits.gather_after(milliseconds(0)), milliseconds(5));
  EXPECT_EQ(limits.gather_after(milliseconds(4)), milliseconds(12));
  EXPECT_EQ(limits.gather_after(milliseconds(1'000)), milliseconds(25));
  // Who wants more than the most at least has it.
  const GroupCommitterLimits longer{.gather_ms = 100, .gather_most_ms = 25};
  EXPECT_EQ(longer.gather_after(milliseconds(1)), milliseconds(100));
}

TEST_F(Committer, SoftEventsAreLeftOut) {
  GroupCommitter committer(gate, journal.callbacks());
  Event soft{0, 5, AttemptEnded{}};
  committer.push({soft});
  committer.push({soft, make(submitted(1)), soft});
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 0));
}

// Batch by batch beside the groups, and none of them waits for all of it.
TEST_F(Committer, TidiesUpBesideItsWork) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(directory.file("weir.db"), trivial_codec()).value();
  std::vector<Event> over;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    auto record = std::make_shared<JobRecord>();
    record->job = job(i);
    over.push_back(make(submitted(i)));
    over.push_back(make(JobStateChanged{job(i), JobState::kKilled, "", false, record}));
  }
  ASSERT_TRUE(store->append(over).ok());
  {
    GroupCommitter committer(*store, journal.callbacks());
    committer.tidy({.finished_at_most = 100, .history_at_most = 300});
    for (int i = 0; i < 20; ++i) {
      const Event event = make(PolicyChanged{"fifo"});
      committer.push({event});
      journal.wait_for("durable " + std::to_string(event.seq));
    }
    const auto history = store->history().value();
    while (history->list({.limit = 10'000}).value().size() > 300) std::this_thread::yield();
  }
  EXPECT_EQ(store->load().value().jobs.size(), 100u);
}

TEST_F(Committer, ATidyingThatFailsStopsNobody) {
  gate.fail_next(1, "disk on fire");
  GroupCommitter committer(gate, journal.callbacks());
  committer.tidy({});
  while (journal.logged().empty()) std::this_thread::yield();
  committer.push({make(submitted(1))});
  committer.stop();
  EXPECT_THAT(journal.lines(), ElementsAre("durable 1"));
  EXPECT_THAT(journal.logged(), ElementsAre("bad: disk on fire", "good: store: writes again"));
}

TEST_F(Committer, AFailedGroupLosesItsCommandsAndKeepsItsFacts) {
  GroupCommitter committer(gate, journal.callbacks(), {.retry_after_ms = 1});
  committer.push({make(submitted(1)), make(JobStateChanged{job(1), JobState::kRunning, ""})});
  journal.wait_for("durable 2");
  gate.fail_next(1, "disk full");
  committer.push({make(submitted(2)), make(succeeded(attempt(1, TaskKind::kMap, 0, 0))),
                  make(JobKillRequested{job(1), "bob"})});
  journal.wait_for("durable 5");
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 2, 0, 3, 4, 5, 0, 4, 0));
  EXPECT_THAT(journal.lines(), ElementsAre("durable 2", "failed 5: disk full", "durable 5"));
  EXPECT_THAT(journal.logged(), ElementsAre("bad: disk full", "good: store: writes again"));
  const Snapshot snapshot = gate.load().value();
  ASSERT_EQ(snapshot.jobs.size(), 1u);
  EXPECT_FALSE(snapshot.jobs[0].kill_requested);
  EXPECT_EQ(snapshot.jobs[0].done.size(), 1u);
}

// A map that was done, lost and done again must not end up lost.
TEST_F(Committer, FactsOfAFailedGroupAreWrittenInTheirOrder) {
  GroupCommitter committer(gate, journal.callbacks(), {.retry_after_ms = 1});
  committer.push({make(submitted(1))});
  journal.wait_for("durable 1");
  gate.fail_next(2, "disk full");
  const TaskKey map = attempt(1, TaskKind::kMap, 0, 0).task;
  committer.push(
      {make(JobKillRequested{job(1), "bob"}), make(succeeded(attempt(1, TaskKind::kMap, 0, 0))),
       make(submitted(2)), make(TaskReopened{map, "lost"}), make(PolicyChanged{"fifo"}),
       make(succeeded(attempt(1, TaskKind::kMap, 0, 1))), make(submitted(3)),
       make(succeeded(attempt(1, TaskKind::kMap, 1, 0))), make(JobKillRequested{job(1), "bob"})});
  journal.wait_for("durable 10");
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0,  // nothing of it
                                         3, 5, 7, 9, 0, 3, 5, 7, 9, 0));
  const Snapshot snapshot = gate.load().value();
  ASSERT_EQ(snapshot.jobs.size(), 1u);
  ASSERT_EQ(snapshot.jobs[0].done.size(), 2u);
  EXPECT_EQ(snapshot.jobs[0].done[0].attempt, 1u);
}

TEST_F(Committer, KeptFactsGoInFrontOfTheNextGroup) {
  GroupCommitter committer(gate, journal.callbacks(), {.retry_after_ms = 3'600'000});
  committer.push({make(submitted(1))});
  journal.wait_for("durable 1");
  gate.fail_next(2, "disk full");
  committer.push({make(succeeded(attempt(1, TaskKind::kMap, 0, 0)))});
  journal.wait_for("failed 2: disk full");
  committer.push({make(submitted(2)), make(succeeded(attempt(1, TaskKind::kMap, 1, 0)))});
  journal.wait_for("failed 4: disk full");
  EXPECT_EQ(committer.waiting_events(), 2u);
  committer.push({make(submitted(3))});
  journal.wait_for("durable 5");
  committer.stop();
  EXPECT_THAT(gate.appended, ElementsAre(1, 0, 2, 0, 2, 3, 4, 0, 2, 4, 5, 0));
  EXPECT_EQ(gate.load().value().jobs[0].done.size(), 2u);
}

TEST_F(Committer, StopWritesWhatIsThereAndTakesNothingAfterwards) {
  gate.close();
  GroupCommitter committer(gate, journal.callbacks());
  committer.push({make(submitted(1))});
  gate.wait_for_arrival();
  committer.push({make(submitted(2))});
  committer.touch_time(77'000);
  committer.set_meta(std::string(kSettingsFileHashKey), "abc");
  std::thread stopper([&] { committer.stop(); });
  gate.open();
  stopper.join();
  committer.push({make(submitted(3))});
  const Snapshot snapshot = gate.load().value();
  EXPECT_EQ(snapshot.jobs.size(), 2u);
  EXPECT_EQ(snapshot.last_time, 77'000);
  EXPECT_EQ(snapshot.settings_file_hash, "abc");
}

TEST_F(Committer, OfTimesThatGatherTheLatestIsWritten) {
  gate.close();
  GroupCommitter committer(gate, journal.callbacks());
  committer.push({make(submitted(1))});
  gate.wait_for_arrival();
  committer.touch_time(77'000);
  committer.touch_time(50'000);
  gate.open();
  committer.stop();
  EXPECT_EQ(gate.load().value().last_time, 77'000);
}

TEST_F(Committer, StopWithABrokenStoreSaysWhatIsLost) {
  GroupCommitter committer(gate, journal.callbacks(), {.retry_after_ms = 3'600'000});
  gate.fail_next(1000, "disk gone");
  committer.push({make(JobStateChanged{job(1), JobState::kRunning, ""})});
  journal.wait_for("failed 1: disk gone");
  committer.stop();
  EXPECT_EQ(journal.logged().size(), 2u);
  EXPECT_THAT(journal.logged().back(), testing::HasSubstr("1 reported events unwritten"));
}

TEST_F(Committer, SaysWhenTooMuchWaitsByCountOrBytes) {
  for (const GroupCommitterLimits& limits :
       {GroupCommitterLimits{.events = 2}, GroupCommitterLimits{.bytes = sizeof(Event) + 1}}) {
    gate.close();
    GroupCommitter committer(gate, journal.callbacks(), limits);
    committer.push({make(PolicyChanged{"fifo"})});
    EXPECT_FALSE(committer.overloaded());
    committer.push({make(PolicyChanged{"fifo"})});
    EXPECT_TRUE(committer.overloaded());
    gate.open();
    committer.stop();
    EXPECT_FALSE(committer.overloaded());
  }
}

// Producers take their numbers and push under one lock, as the engine's one thread does.
TEST_F(Committer, ManyProducersOneOrderOnARealDisk) {
  TemporaryDirectory directory;
  auto store = open_sqlite_store(directory.file("weir.db"), trivial_codec()).value();
  std::mutex mutex;
  {
    GroupCommitter committer(*store, journal.callbacks());
    std::vector<std::thread> producers;
    for (int p = 0; p < 4; ++p) {
      producers.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          std::lock_guard lock(mutex);
          const Event first = make(PolicyChanged{"fifo"});
          committer.push({first, make(submitted(static_cast<std::uint32_t>(first.seq)))});
        }
      });
    }
    for (std::thread& producer : producers) producer.join();
  }
  std::uint64_t last = 0;
  for (const std::string& line : journal.lines()) {
    ASSERT_EQ(line.substr(0, 8), "durable ");
    const std::uint64_t seq = std::stoull(line.substr(8));
    EXPECT_GT(seq, last);
    last = seq;
  }
  EXPECT_EQ(last, 1600u);
  EXPECT_EQ(store->load().value().jobs.size(), 800u);
}

}  // namespace
}  // namespace weir
