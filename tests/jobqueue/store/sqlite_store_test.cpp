// The file itself: versions, locks, and each way in which a disk can let us down, with the message
// it gives.
#include "jobqueue/store/sqlite_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jobqueue/store/schema.h"
#include "jobqueue/store/statement.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::AllOf;
using testing::HasSubstr;

class SqliteStoreFile : public testing::Test {
 protected:
  Result<std::unique_ptr<Store>> open(SqliteStoreOptions options = {}) {
    options.busy_timeout_ms = 0;
    return open_sqlite_store(path_, trivial_codec(), options);
  }
  std::unique_ptr<Store> opened(SqliteStoreOptions options = {}) {
    auto store = open(options);
    WEIR_CHECK(store.ok(), store.ok() ? "" : store.error().message.c_str());
    return std::move(store).value();
  }
  std::string refusal(SqliteStoreOptions options = {}) {
    auto store = open(options);
    if (store.ok()) return "opened";
    EXPECT_EQ(store.error().code, ErrorCode::kStoreFailed);
    EXPECT_NE(store.error().hint, "");
    EXPECT_THAT(store.error().message, HasSubstr(path_));
    return store.error().message;
  }
  std::int64_t query(const std::string& sql) {
    Database database(path_);
    const std::int64_t value = database.integer(sql);
    EXPECT_TRUE(database.ok()) << database.message();
    return value;
  }
  void execute(const std::string& sql) {
    Database database(path_);
    database.exec(sql);
    EXPECT_TRUE(database.ok()) << database.message();
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("weir.db");
  EventMaker make_;
};

TEST_F(SqliteStoreFile, IsMarkedAndVersioned) {
  opened();
  EXPECT_EQ(query("PRAGMA user_version"), static_cast<std::int64_t>(store_migrations().size()));
  EXPECT_EQ(query("PRAGMA application_id"), 0x57454952);
}

TEST_F(SqliteStoreFile, OfANewerVersionIsRefusedAndLeftAlone) {
  opened();
  const std::string newest = std::to_string(store_migrations().size());
  const std::string newer = std::to_string(store_migrations().size() + 1);
  execute("PRAGMA user_version = " + newer);
  EXPECT_THAT(refusal(), HasSubstr("has schema version " + newer +
                                   ", this weir knows versions up to " + newest));
  EXPECT_EQ(std::to_string(query("PRAGMA user_version")), newer);
}

TEST_F(SqliteStoreFile, OfSomebodyElseIsRefused) {
  execute("CREATE TABLE addresses (name TEXT)");
  EXPECT_THAT(refusal(), HasSubstr("not one of Weir's"));
  EXPECT_EQ(query("SELECT count(*) FROM sqlite_master"), 1);
}

TEST_F(SqliteStoreFile, MigratesStepByStepAndAllOrNothing) {
  const std::string_view one[] = {"CREATE TABLE t (a)"};
  const std::string_view two[] = {one[0],
                                  "ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 2)"};
  const std::string_view broken[] = {two[0], two[1], "INSERT INTO t VALUES (3, 4)", "NONSENSE"};
  Database database(path_);
  ASSERT_TRUE(migrate(database, path_, one).ok());
  ASSERT_TRUE(migrate(database, path_, two).ok());
  ASSERT_TRUE(migrate(database, path_, two).ok());
  EXPECT_EQ(database.integer("SELECT b FROM t"), 2);
  EXPECT_TRUE(migrate(database, path_, broken).ok());
  EXPECT_THAT(database.message(), HasSubstr("NONSENSE"));
  database.clear_error();
  EXPECT_EQ(database.integer("PRAGMA user_version"), 2);
  EXPECT_EQ(database.integer("SELECT count(*) FROM t"), 1);
}

TEST_F(SqliteStoreFile, HasOneJobTrackerAtATime) {
  auto first = opened();
  EXPECT_THAT(refusal(), HasSubstr("is in use by another JobTracker"));
  first.reset();
  EXPECT_EQ(refusal(), "opened");
}

TEST_F(SqliteStoreFile, SurvivesACrashWithItsLogOnly) {
  auto store = opened();
  ASSERT_TRUE(store->load().ok());
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(1))}).ok());
  // What a machine would find after the power came back: the file and the log, never checkpointed.
  const std::string crashed = directory_.file("crashed.db");
  std::filesystem::copy_file(path_, crashed);
  std::filesystem::copy_file(path_ + "-wal", crashed + "-wal");
  auto again = open_sqlite_store(crashed, trivial_codec());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value()->load().value().jobs.size(), 1u);
}

TEST_F(SqliteStoreFile, ADirectoryInItsPlaceOrNoDirectoryAtAll) {
  std::filesystem::create_directory(path_);
  EXPECT_THAT(refusal(), HasSubstr("is a directory"));
  path_ = directory_.file("missing/weir.db");
  EXPECT_THAT(refusal(), HasSubstr("does not exist"));
  std::ofstream(directory_.file("plain")) << "x";
  path_ = directory_.file("plain/weir.db");
  EXPECT_THAT(refusal(), HasSubstr("not a directory"));
}

// Root may write everywhere, so the test becomes nobody for a moment.
TEST_F(SqliteStoreFile, ThatMayNotBeWrittenIsRefused) {
  opened();
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(directory_.path().c_str(), 0555), 0);
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const std::string read_only_file = refusal();
  path_ = directory_.file("new.db");
  const std::string read_only_directory = refusal();
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  EXPECT_THAT(read_only_file,
              AllOf(HasSubstr("the file is not writable"), HasSubstr("Permission denied")));
  EXPECT_THAT(read_only_directory,
              HasSubstr("directory " + directory_.path().string() + " is not writable"));
}

TEST_F(SqliteStoreFile, OfGarbageIsRefused) {
  std::ofstream(path_) << std::string(8192, 'x');
  EXPECT_THAT(refusal(), HasSubstr("is not a database"));
}

TEST_F(SqliteStoreFile, DamagedInTheMiddleIsRefusedWhenLoaded) {
  {
    auto store = opened();
    std::vector<Event> events;
    for (std::uint32_t i = 1; i <= 2000; ++i) events.push_back(make_(submitted(i)));
    ASSERT_TRUE(store->append(events).ok());
  }
  const auto size = std::filesystem::file_size(path_);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(16384);
  file << std::string(size - 16384, '\x5a');
  file.close();
  auto store = open();
  const Error error = store.ok() ? store.value()->load().error() : store.error();
  EXPECT_EQ(error.code, ErrorCode::kStoreFailed);
  EXPECT_THAT(error.message, AllOf(HasSubstr(path_), HasSubstr("damaged")));
  EXPECT_THAT(error.hint, HasSubstr("restore a copy"));
}

// What cannot be written because of it is not acknowledged, and what can be is.
TEST_F(SqliteStoreFile, DamagedWhereItIsWrittenRefusesTheGroup) {
  {
    auto store = opened();
    std::vector<Event> events;
    for (std::uint32_t i = 1; i <= 20'000; ++i) events.push_back(make_(submitted(i)));
    ASSERT_TRUE(store->append(events).ok());
  }
  const std::int64_t root = query("SELECT rootpage FROM sqlite_master WHERE name = 'jobs'");
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096 * (root - 1));
  file << std::string(4096, '\x5a');
  file.close();
  auto store = opened();
  const Status written =
      store->append(std::vector<Event>{make_(JobStateChanged{job(7), JobState::kKilled, ""})});
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, AllOf(HasSubstr(path_), HasSubstr("damaged")));
  EXPECT_TRUE(store->append(std::vector<Event>{make_(QueueStateChanged{"org.a", true})}).ok());
  EXPECT_FALSE(store->history().value()->find(job(7)).value().has_value());
}

TEST_F(SqliteStoreFile, WithAnUnreadableSpecNamesTheJob) {
  auto store = opened();
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(7))}).ok());
  store.reset();
  execute("UPDATE specs SET spec = 'nothing'");
  EXPECT_THAT(opened()->load().error().message,
              HasSubstr("job_0007's spec cannot be read: not a spec"));
  execute("DELETE FROM specs");
  EXPECT_THAT(opened()->load().error().message, HasSubstr("job_0007 has no spec"));
}

TEST_F(SqliteStoreFile, ThatIsFullRefusesWholeGroupsAndGoesOnAfterwards) {
  auto store = opened({.max_pages = 60});
  ASSERT_TRUE(store->load().ok());
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(1))}).ok());
  JobSubmitted large = submitted(3);
  auto spec = std::make_shared<JobSpec>(*large.spec);
  spec->name = std::string(1'000'000, 'x');
  large.spec = spec;
  const Status full = store->append(std::vector<Event>{make_(submitted(2)), make_(large)});
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::kStoreFailed);
  EXPECT_THAT(full.error().message, AllOf(HasSubstr(path_), HasSubstr("no space left")));
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(4))}).ok());
  const Snapshot snapshot = store->load().value();
  ASSERT_EQ(snapshot.jobs.size(), 2u);
  EXPECT_EQ(snapshot.jobs[1].job, JobId(4));
}

TEST_F(SqliteStoreFile, ARepeatedJobIdIsAnErrorNotASecondJob) {
  auto store = opened();
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(1))}).ok());
  EXPECT_FALSE(store->append(std::vector<Event>{make_(submitted(1))}).ok());
}

// The number of the next job is not believed against the jobs that are there, or have been.
TEST_F(SqliteStoreFile, WhoseNextJobWasPutBackGivesNoNumberAgain) {
  auto store = opened();
  ASSERT_TRUE(store->append(std::vector<Event>{make_(submitted(7))}).ok());
  store.reset();
  execute("UPDATE meta SET value = 3 WHERE key = 'next_job'");
  store = opened();
  EXPECT_EQ(store->load().value().next_job, 8u);
  auto record = std::make_shared<JobRecord>();
  record->job = job(9);
  ASSERT_TRUE(store
                  ->append(std::vector<Event>{
                      make_(submitted(9)),
                      make_(JobStateChanged{job(9), JobState::kKilled, "", false, record})})
                  .ok());
  ASSERT_FALSE(store->tidy({.finished_before = 1'000'000}).value());
  ASSERT_EQ(store->load().value().jobs.size(), 1u);
  store.reset();
  execute("DELETE FROM meta WHERE key = 'next_job'");
  EXPECT_EQ(opened()->load().value().next_job, 10u);
}

// Rows of a job that ended leave little by little, with whatever is written next.
TEST_F(SqliteStoreFile, SweepsTheTasksOfEndedJobs) {
  auto store = opened();
  std::vector<Event> events = {make_(submitted(1)), make_(submitted(2))};
  for (std::uint32_t i = 0; i < 3000; ++i) {
    events.push_back(make_(succeeded(attempt(1, TaskKind::kMap, i, 0))));
  }
  events.push_back(make_(succeeded(attempt(2, TaskKind::kMap, 0, 0))));
  ASSERT_TRUE(store->append(events).ok());
  ASSERT_TRUE(
      store->append(std::vector<Event>{make_(JobStateChanged{job(1), JobState::kKilled, ""})})
          .ok());
  store.reset();
  EXPECT_GT(query("SELECT count(*) FROM task_done"), 2000);
  store = opened();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store->append(std::vector<Event>{make_(PolicyChanged{"fifo"})}).ok());
  }
  EXPECT_EQ(store->load().value().jobs[1].done.size(), 1u);
  store.reset();
  EXPECT_EQ(query("SELECT count(*) FROM task_done"), std::int64_t{kDoneTasksKept} + 1);
  EXPECT_EQ(query("SELECT count(*) FROM ended"), 0);
}

}  // namespace
}  // namespace weir
