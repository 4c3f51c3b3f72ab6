// Jobs that are over leave the live tables for one record each, and the store stays as large as
// what it keeps. The first tests run on a file and in memory.
#include "jobqueue/store/history.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jobqueue/store/schema.h"
#include "jobqueue/store/statement.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::ElementsAre;
using testing::IsEmpty;

JobRecord record(std::uint32_t number, TimeMs finished_at, std::string queue = "org.a") {
  JobRecord out;
  out.job = job(number);
  out.name = "job number " + std::to_string(number);
  out.user = number % 2 == 0 ? "ann" : "bob";
  out.queue = std::move(queue);
  out.output = "/out/" + std::to_string(number);
  out.priority = Priority::kLow;
  out.state = JobState::kFailed;
  out.submitted_at = 10;
  out.started_at = 20;
  out.finished_at = finished_at;
  out.diagnostics = "task failed";
  out.tasks[0] = {10, 9, 4, 1};
  out.tasks[1] = {2, 0, 0, 1};
  out.counters = {{"words", {{"seen", 3}}}};
  return out;
}

// As the engine says it: at `now`, and with a record that tells the same time.
JobStateChanged ended(std::uint32_t number, TimeMs finished_at, bool cleanup = false,
                      std::string queue = "org.a") {
  return {job(number), JobState::kFailed, "task failed", cleanup,
          std::make_shared<const JobRecord>(record(number, finished_at, std::move(queue)))};
}

class HistoryOfStore : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { open(); }
  void open() {
    if (!GetParam()) {
      if (!store_) store_ = make_memory_store(trivial_codec());
      return;
    }
    store_.reset();
    auto opened = open_sqlite_store(directory_.file("weir.db"), trivial_codec());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = std::move(opened).value();
  }
  Snapshot restarted() {
    open();
    return store_->load().value();
  }
  void append(TimeMs at, std::vector<Fact> facts) {
    std::vector<Event> events;
    for (Fact& fact : facts) events.push_back({++seq_, at, std::move(fact)});
    const Status status = store_->append(events);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  void tidy(const Retention& retention) {
    for (int i = 0; i < 1000; ++i) {
      const Result<bool> more = store_->tidy(retention);
      ASSERT_TRUE(more.ok()) << more.error().message;
      if (!*more) return;
    }
    ADD_FAILURE() << "there is always more";
  }
  std::vector<std::uint32_t> listed(const HistoryQuery& query = {}) {
    std::vector<std::uint32_t> out;
    const auto list = store_->history().value()->list(query);
    EXPECT_TRUE(list.ok());
    for (const JobRecord& r : *list) out.push_back(r.job.value);
    return out;
  }
  std::vector<std::uint32_t> loaded() {
    std::vector<std::uint32_t> out;
    for (const JobSnapshot& j : restarted().jobs) out.push_back(j.job.value);
    return out;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::uint64_t seq_ = 0;
};

TEST_P(HistoryOfStore, ARecordTellsTheWholeJobAndOutlivesIt) {
  append(100, {submitted(1), submitted(2)});
  append(200, {AttemptFailed{attempt(1, TaskKind::kMap, 4, 0), "tt1", "exit code 1", 150}});
  append(300, {ended(1, 300)});
  EXPECT_EQ(*restarted().jobs[0].record, record(1, 300));
  tidy({.finished_before = 301});
  EXPECT_THAT(loaded(), ElementsAre(2));
  EXPECT_EQ(store_->history().value()->find(job(1)).value(), record(1, 300));
  EXPECT_EQ(store_->history().value()->find(job(2)).value(), std::nullopt);
  const EndedAttempt failed{attempt(1, TaskKind::kMap, 4, 0), "tt1", 150, 200, true, "exit code 1"};
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), ElementsAre(failed));
}

// Its groups are in the list, in the record and in what a start finds.
TEST_P(HistoryOfStore, AnApplicationKeepsItsGroups) {
  JobRecord application = record(1, 100);
  application.tasks[0] = application.tasks[1] = {};
  application.groups = {{"ps", {2, 1, 3, 4}}, {"worker", {8, 5, 6, 7}}};
  append(50, {submitted(1)});
  append(100, {JobStateChanged{job(1), JobState::kFailed, "task failed", false,
                               std::make_shared<const JobRecord>(application)}});
  const Snapshot snapshot = restarted();
  ASSERT_EQ(snapshot.jobs.size(), 1u);
  ASSERT_NE(snapshot.jobs[0].record, nullptr);
  EXPECT_EQ(snapshot.jobs[0].record->groups, application.groups);
  ASSERT_EQ(snapshot.jobs[0].spec->task_groups.size(), 2u);
  EXPECT_EQ(snapshot.jobs[0].spec->task_groups[1].name, "worker");
  EXPECT_EQ(snapshot.jobs[0].spec->task_groups[1].count, 8u);
  EXPECT_EQ(store_->history().value()->find(job(1)).value()->groups, application.groups);
  EXPECT_EQ(store_->history().value()->list({}).value().at(0).groups, application.groups);
}

TEST_P(HistoryOfStore, WhatWasCleanedUpSinceHasItsLastAttemptsCounted) {
  append(100, {submitted(1)});
  append(300, {ended(1, 300, true)});
  EXPECT_TRUE(restarted().jobs[0].cleanup);
  tidy({.finished_before = 1'000});
  EXPECT_THAT(loaded(), ElementsAre(1));  // its files are still to be removed
  JobRecord last = record(1, 300);
  last.tasks[0].killed_attempts = 7;
  append(400, {JobCleanedUp{job(1), std::make_shared<const JobRecord>(last)}});
  EXPECT_FALSE(restarted().jobs[0].cleanup);
  tidy({.finished_before = 1'000});
  EXPECT_THAT(loaded(), IsEmpty());
  EXPECT_EQ(store_->history().value()->find(job(1)).value(), last);
}

// Of jobs that leave nothing to clean up nothing else says so.
TEST_P(HistoryOfStore, WhatIsKilledAfterTheEndIsCounted) {
  JobRecord application = record(2, 300);
  application.tasks[0] = application.tasks[1] = {};
  application.groups = {{"ps", {2, 1, 3, 4}}, {"worker", {8, 5, 6, 7}}};
  append(100, {submitted(1), submitted(2)});
  append(300, {ended(1, 300),
               JobStateChanged{job(2), JobState::kFailed, "task failed", false,
                               std::make_shared<const JobRecord>(application)}});
  append(310, {AttemptKilled{attempt(1, TaskKind::kMap, 4, 0), 150},
               AttemptKilled{attempt(1, TaskKind::kReduce, 4, 0), 150},
               AttemptKilled{attempt(1, TaskKind::kReduce, 4, 1), 150},
               AttemptKilled{attempt(2, group_kind(1), 0, 0), 150}});
  JobRecord first = record(1, 300);
  first.tasks[0].killed_attempts += 1;
  first.tasks[1].killed_attempts += 2;
  EXPECT_EQ(*restarted().jobs[0].record, first);
  application.groups[1].tasks.killed_attempts += 1;
  EXPECT_EQ(restarted().jobs[1].record->groups, application.groups);
}

TEST_P(HistoryOfStore, ListsByQueueUserAndTime) {
  append(10, {submitted(1), submitted(2), submitted(3), submitted(4)});
  append(100, {ended(4, 100, false, "org")});
  append(200, {ended(1, 200, false, "org.a.b")});
  append(300, {ended(2, 300, false, "org-a")});  // before `org.` as text
  append(400, {ended(3, 400, false, "org.a")});
  EXPECT_THAT(listed(), ElementsAre(3, 2, 1, 4));
  EXPECT_THAT(listed({.queue = "org"}), ElementsAre(3, 1, 4));
  EXPECT_THAT(listed({.queue = "org.a"}), ElementsAre(3, 1));
  EXPECT_THAT(listed({.user = "ann"}), ElementsAre(2, 4));
  EXPECT_THAT(listed({.since = 200, .before = 400}), ElementsAre(2, 1));
  EXPECT_THAT(listed({.limit = 2}), ElementsAre(3, 2));
  EXPECT_THAT(listed({.limit = 1, .before_job = 3}), ElementsAre(2));  // the next page
  EXPECT_THAT(listed({.before_job = 99}), IsEmpty());
  EXPECT_THAT(listed({.oldest_first = true}), ElementsAre(4, 1, 2, 3));
  EXPECT_THAT(listed({.oldest_first = true, .limit = 2, .before_job = 4}), ElementsAre(1, 2));
  EXPECT_TRUE(store_->history().value()->list({}).value()[0].counters.empty());
}

TEST_P(HistoryOfStore, ListsByStateAndName) {
  append(10, {submitted(1), submitted(2), submitted(3)});
  const auto ends = [](std::uint32_t number, JobState state, std::string name) {
    JobRecord end = record(number, 100 * number);
    end.state = state;
    end.name = std::move(name);
    return JobStateChanged{job(number), state, "", false, std::make_shared<const JobRecord>(end)};
  };
  append(400, {ends(1, JobState::kSucceeded, "daily"), ends(2, JobState::kFailed, "hourly"),
               ends(3, JobState::kKilled, "daily")});
  EXPECT_THAT(listed({.states = {JobState::kFailed}}), ElementsAre(2));
  EXPECT_THAT(listed({.states = {JobState::kKilled, JobState::kSucceeded}}), ElementsAre(3, 1));
  const auto daily = [](std::string_view name) { return name == "daily"; };
  EXPECT_THAT(listed({.named = daily}), ElementsAre(3, 1));
  EXPECT_THAT(listed({.named = daily, .limit = 1}), ElementsAre(3));
  EXPECT_THAT(listed({.named = daily, .limit = 1, .before_job = 3}), ElementsAre(1));
  EXPECT_THAT(listed({.states = {JobState::kFailed}, .named = daily}), IsEmpty());
}

TEST_P(HistoryOfStore, OfJobsThatEndedAtOneMomentTheNewestIsFirst) {
  append(10, {submitted(1), submitted(2), submitted(3)});
  append(100, {ended(1, 100), ended(3, 100), ended(2, 100)});
  EXPECT_THAT(listed(), ElementsAre(3, 2, 1));
  EXPECT_THAT(listed({.limit = 1}), ElementsAre(3));
  EXPECT_THAT(listed({.limit = 1, .before_job = 3}), ElementsAre(2));  // pages lose none of them
  EXPECT_THAT(listed({.oldest_first = true, .before_job = 1}), ElementsAre(2, 3));
}

TEST_P(HistoryOfStore, IsBoundedByAgeAndByNumber) {
  for (std::uint32_t i = 1; i <= 10; ++i) {
    append(10 * i, {submitted(i)});
    append(10 * i + 5, {ended(i, 10 * i + 5)});
  }
  tidy({.finished_at_most = 4});
  EXPECT_THAT(loaded(), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(listed().size(), 10u);
  tidy({.finished_at_most = 4, .history_at_most = 6});
  EXPECT_THAT(listed(), ElementsAre(10, 9, 8, 7, 6, 5));
  tidy({.finished_at_most = 4, .history_before = 66});
  EXPECT_THAT(listed(), ElementsAre(10, 9, 8, 7));
  tidy({.finished_at_most = 4, .history_at_most = 1});  // a job that is still live has its record
  EXPECT_THAT(listed(), ElementsAre(10, 9, 8, 7));
}

// The number of the next job is not that of the newest one in the store.
TEST_P(HistoryOfStore, NumbersOfJobsThatHaveLeftAreNotGivenAgain) {
  append(100, {submitted(1), submitted(2), submitted(3)});
  append(200, {ended(3, 200), ended(2, 200)});
  tidy({.finished_before = 1'000, .history_before = 1'000});
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_EQ(restarted().next_job, 4u);
}

// Logs are where the tracker of an attempt is: known until the job leaves the list.
TEST_P(HistoryOfStore, WhoDidTheTasksOfAJobIsKnownWhileItIsListed) {
  const auto done = [](std::uint32_t index, TimeMs launched_at) {
    return TaskSucceeded{attempt(1, TaskKind::kMap, index, 3), "tt2", 1, launched_at, nullptr};
  };
  append(100, {submitted(1)});
  append(250, {done(1, 120), done(0, 110)});
  append(260, {TaskReopened{{job(1), TaskKind::kMap, 0}, "tt2 is lost"}});
  EXPECT_EQ(restarted().jobs[0].done[0].launched_at, 120);
  const EndedAttempt expected{attempt(1, TaskKind::kMap, 1, 3), "tt2", 120, 250, false, ""};
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), ElementsAre(expected));
  append(300, {ended(1, 300)});
  tidy({.finished_before = 300});
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), ElementsAre(expected));
  EXPECT_THAT(restarted().jobs[0].done, IsEmpty());
  tidy({.finished_before = 301});
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), IsEmpty());
  EXPECT_THAT(loaded(), IsEmpty());
}

TEST_P(HistoryOfStore, OfAJobThatIsOverSoManyTasksAreKept) {
  append(100, {submitted(1)});
  std::vector<Fact> facts;
  for (std::uint32_t i = 0; i < kDoneTasksKept + 5; ++i)
    facts.push_back(TaskSucceeded{attempt(1, TaskKind::kMap, i, 0), "tt1", 1, 110, nullptr});
  append(200, std::move(facts));
  EXPECT_EQ(store_->history().value()->attempts(job(1))->size(), kDoneTasksKept + 5);
  append(300, {ended(1, 300)});
  tidy({});
  const auto kept = store_->history().value()->attempts(job(1)).value();
  ASSERT_EQ(kept.size(), kDoneTasksKept);
  EXPECT_EQ(kept.back().attempt.task.index, kDoneTasksKept - 1);
  tidy({.finished_before = 1'000});
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), IsEmpty());
}

TEST_P(HistoryOfStore, FailedAttemptsOfAJobAreBounded) {
  append(100, {submitted(1)});
  for (std::uint32_t i = 0; i < kFailedAttemptsKept + 20; ++i) {
    append(200, {AttemptFailed{attempt(1, TaskKind::kMap, i, 0), "tt1", "exit code 1"}});
  }
  const auto failed = store_->history().value()->attempts(job(1)).value();
  ASSERT_EQ(failed.size(), kFailedAttemptsKept);
  EXPECT_EQ(failed.front().attempt.task.index, 20u);
  append(300, {ended(1, 300)});
  tidy({.finished_before = 1'000, .history_before = 1'000});
  EXPECT_THAT(store_->history().value()->attempts(job(1)).value(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, HistoryOfStore, testing::Bool(),
                         [](const auto& info) { return info.param ? "file" : "memory"; });

// --- The file ---

struct HistoryFile : testing::Test {
  std::unique_ptr<Store> opened() {
    auto store = open_sqlite_store(path_, trivial_codec());
    WEIR_CHECK(store.ok(), store.ok() ? "" : store.error().message.c_str());
    return std::move(store).value();
  }
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("weir.db");
};

// 200 rounds of 50 jobs with tasks and counters: after the first ones the file grows no more.
TEST_F(HistoryFile, ManyJobsLaterTheFileIsAsLargeAsWhatItKeeps) {
  auto store = opened();
  const auto counters = std::make_shared<const Counters>(Counters{{"words", {{"seen", 3}}}});
  std::uint64_t seq = 0;
  std::uint32_t number = 0;
  std::uintmax_t early = 0;
  for (int round = 1; round <= 200; ++round) {
    std::vector<Event> events;
    const auto add = [&](Fact fact) { events.push_back({++seq, 1'000 * round, std::move(fact)}); };
    for (int i = 0; i < 50; ++i) {
      ++number;
      add(submitted(number));
      for (std::uint32_t t = 0; t < 10; ++t)
        add(succeeded(attempt(number, TaskKind::kMap, t, 0), counters));
      add(AttemptFailed{attempt(number, TaskKind::kReduce, 0, 0), "tt1", std::string(500, 'x')});
      add(ended(number, 1'000 * round));
    }
    ASSERT_TRUE(store->append(events).ok());
    const Retention keep{.finished_at_most = 100, .history_at_most = 500};
    Result<bool> more = true;
    while (*more) {
      more = store->tidy(keep);
      ASSERT_TRUE(more.ok());
    }
    if (round == 40) early = std::filesystem::file_size(path_);
  }
  EXPECT_EQ(store->history().value()->list({.limit = 10'000}).value().size(), 500u);
  EXPECT_EQ(store->load().value().jobs.size(), 100u);
  store.reset();
  const auto late = std::filesystem::file_size(path_);
  EXPECT_LE(late, std::max<std::uintmax_t>(early, 1'000'000) * 11 / 10);
  Database database(path_);
  EXPECT_EQ(database.integer("SELECT count(*) FROM specs"), 0);  // all of them are over
  EXPECT_EQ(database.integer("SELECT count(*) FROM task_done"), 100 * 10);
  EXPECT_EQ(database.integer("SELECT count(*) FROM task_done WHERE counters NOTNULL"), 0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM failed_attempts"), 500);
}

// The tasks of a large job leave in small batches, and the job after them, while nobody writes.
TEST_F(HistoryFile, ALargeJobLeavesWithAllItsTasks) {
  auto store = opened();
  std::uint64_t seq = 0;
  std::vector<Event> events = {{++seq, 10, submitted(1)}};
  for (std::uint32_t t = 0; t < 30'000; ++t)
    events.push_back({++seq, 10, succeeded(attempt(1, TaskKind::kMap, t, 0))});
  ASSERT_TRUE(store->append(events).ok());
  ASSERT_TRUE(store->append(std::vector<Event>{{++seq, 20, ended(1, 20)}}).ok());
  int batches = 1;
  while (store->tidy({.finished_before = 1'000}).value()) ++batches;
  EXPECT_GT(batches, 10);
  EXPECT_LT(batches, 30);
  store.reset();
  Database database(path_);
  EXPECT_EQ(database.integer("SELECT count(*) FROM task_done"), 0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM jobs"), 0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM history"), 1);
}

void read_while_it_is_written(Store& store) {
  std::atomic<bool> done{false};
  std::atomic<std::size_t> reads{0};
  std::thread reader([&] {
    auto history = store.history().value();
    std::size_t before = 0;
    while (!done) {
      const auto list = history->list({.limit = 100'000});
      ASSERT_TRUE(list.ok()) << list.error().message;
      ASSERT_GE(list->size(), before);
      ASSERT_EQ(list->size() % 2, 0u);
      before = list->size();
      ++reads;
    }
  });
  std::uint64_t seq = 0;
  for (std::uint32_t i = 1; i < 600; i += 2) {
    const std::vector<Event> events = {{++seq, 10, submitted(i)},
                                       {++seq, 10, submitted(i + 1)},
                                       {++seq, 10, ended(i, 10)},
                                       {++seq, 10, ended(i + 1, 10)}};
    EXPECT_TRUE(store.append(events).ok());
  }
  done = true;
  reader.join();
  EXPECT_GT(reads, 0u);
}

// Readers and the writer do not wait for each other, and a reader sees whole commits only.
TEST_F(HistoryFile, IsReadWhileItIsWritten) {
  read_while_it_is_written(*opened());
}

// There they wait, and nobody is refused.
TEST(HistoryInMemory, IsReadWhileItIsWritten) {
  read_while_it_is_written(*make_memory_store(trivial_codec()));
}

// A store as the version before wrote it: opens, shows what it had, and its finished jobs, which
// have no records, get them from their specs when they leave.
TEST_F(HistoryFile, OfTheVersionBeforeIsMigrated) {
  {
    Database database(path_);
    ASSERT_TRUE(migrate(database, path_, store_migrations().first(3)).ok());
    database.exec(
        "INSERT INTO jobs (id, queue, priority, state, submitted_at, finished_at, diagnostics)"
        " VALUES (1, 'org.a', 2, 4, 100, 200, 'killed by ann'), (2, 'org.a', 2, 1, 150, 0, '');"
        "INSERT INTO specs VALUES (1, 'first' || char(10) || 'ann' || char(10) || '2'),"
        " (2, 'second' || char(10) || 'ann' || char(10) || '2');"
        "INSERT INTO meta VALUES ('next_job', 3), ('epoch', 7)");
    ASSERT_TRUE(database.ok()) << database.message();
  }
  auto store = opened();
  const Snapshot snapshot = store->load().value();
  EXPECT_EQ(snapshot.epoch, 8u);
  EXPECT_EQ(snapshot.next_job, 3u);
  ASSERT_EQ(snapshot.jobs.size(), 2u);
  EXPECT_EQ(snapshot.jobs[0].record, nullptr);
  EXPECT_FALSE(store->tidy({.finished_before = 1'000}).value());
  EXPECT_EQ(store->load().value().jobs.size(), 1u);
  const JobRecord old = store->history().value()->find(job(1)).value().value();
  EXPECT_EQ(old.name, "first");
  EXPECT_EQ(old.user, "ann");
  EXPECT_EQ(old.state, JobState::kKilled);
  EXPECT_EQ(old.diagnostics, "killed by ann");
  EXPECT_EQ(old.finished_at, 200);
}

}  // namespace
}  // namespace weir
