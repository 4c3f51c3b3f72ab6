// The store's files under a JobTracker that runs: deleted, moved, replaced, cut off, locked by
// somebody else, written over. Nothing is acknowledged then, and the message says what to do.
#include "jobqueue/store/store_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jobqueue/store/sqlite_store.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store_lock.h"
#include "store_fixture.h"

namespace weir {
namespace {

namespace fs = std::filesystem;
using namespace store_test;
using testing::HasSubstr;

class RunningStore : public testing::Test {
 protected:
  RunningStore() { start(); }
  void start() {
    store_.reset();
    auto opened =
        open_sqlite_store(path_, trivial_codec(), {.busy_timeout_ms = 100, .vfs = {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = std::move(*opened);
    auto snapshot = store_->load();
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
    jobs_ = snapshot->jobs.size();
  }
  Status submit() {
    const Event event = make_(submitted(++number_));
    return store_->append({&event, 1});
  }
  std::string refusal() {
    const Status done = submit();
    if (done.ok()) return "written";
    EXPECT_EQ(done.error().code, ErrorCode::kStoreFailed);
    EXPECT_NE(done.error().hint, "");
    hint_ = done.error().hint;
    return done.error().message;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("weir.db");
  std::string moved_ = directory_.file("moved.db");
  std::unique_ptr<Store> store_;
  EventMaker make_;
  std::uint32_t number_ = 0;
  std::size_t jobs_ = 0;
  std::string hint_;
};

// Jobs' secrets are in it.
TEST_F(RunningStore, MayBeReadByItsOwnerAlone) {
  ASSERT_TRUE(submit().ok());
  for (const char* part : {"", "-wal", "-shm"}) {
    const auto others = fs::perms::group_all | fs::perms::others_all;
    EXPECT_EQ(fs::status(path_ + part).permissions() & others, fs::perms::none) << part;
  }
}

TEST_F(RunningStore, ThatWasDeletedTakesNothing) {
  ASSERT_TRUE(submit().ok());
  fs::remove(path_);
  EXPECT_THAT(refusal(), HasSubstr("weir.db is gone"));
  EXPECT_THAT(hint_, HasSubstr("restore a copy"));
  EXPECT_FALSE(store_->touch_time(1).ok());
  EXPECT_FALSE(store_->tidy({}).ok());
  EXPECT_FALSE(store_->set_meta("key", "value").ok());
}

TEST_F(RunningStore, ThatWasMovedAwayTakesNothingUntilItIsBack) {
  fs::rename(path_, moved_);
  EXPECT_THAT(refusal(), HasSubstr("moved away"));
  fs::rename(moved_, path_);
  EXPECT_TRUE(submit().ok());
  start();
  EXPECT_EQ(jobs_, 1u);  // the other was refused
}

TEST_F(RunningStore, ThatWasReplacedTakesNothing) {
  fs::copy(path_, moved_);
  fs::rename(moved_, path_);
  EXPECT_THAT(refusal(), HasSubstr("another file"));
}

TEST_F(RunningStore, ThatLostItsEndTakesNothing) {
  start();  // what is in the log goes into the file
  ASSERT_TRUE(submit().ok());
  fs::resize_file(path_, 8192);
  EXPECT_THAT(refusal(), HasSubstr("weir.db was truncated: it has 8192 bytes"));
  fs::resize_file(path_, 0);
  EXPECT_THAT(refusal(), HasSubstr("truncated"));
}

TEST_F(RunningStore, WhoseLogIsNotWhatItWasTakesNothing) {
  ASSERT_TRUE(submit().ok());
  fs::resize_file(path_ + "-wal", 5'000);
  EXPECT_THAT(refusal(), HasSubstr("weir.db-wal was truncated: it has 5000 bytes"));
  fs::remove(path_ + "-wal");
  EXPECT_THAT(refusal(), HasSubstr("weir.db-wal is gone"));
}

// A look at what is cut off of it would be a signal.
TEST_F(RunningStore, WhoseIndexLostItsEndTakesNothing) {
  ASSERT_TRUE(submit().ok());
  fs::resize_file(path_ + "-shm", 0);
  EXPECT_THAT(refusal(), HasSubstr("weir.db-shm was truncated"));
  fs::resize_file(path_ + "-shm", 32'768);  // else the end of this test would be one, too
}

TEST_F(RunningStore, GoesOnWhenSomebodyElseTakesTheLogIntoTheFileOrPacksIt) {
  for (const char* by_hand :
       {"PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint"}) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(submit().ok());
    Database other(path_);
    other.exec(by_hand);
    EXPECT_TRUE(other.ok()) << other.message();
    EXPECT_EQ(refusal(), "written") << by_hand;
  }
}

TEST_F(RunningStore, SaysThatSomebodyElseHasItsWriteLock) {
  Database other(path_);
  other.begin();
  ASSERT_TRUE(other.ok());
  EXPECT_THAT(refusal(), HasSubstr("locked by another process"));
  EXPECT_THAT(hint_, HasSubstr("fuser"));
  other.abandon();
  EXPECT_TRUE(submit().ok());
}

TEST_F(RunningStore, SaysWhatToDoAboutDamage) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(submit().ok());
  start();
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    const std::string rubbish(fs::file_size(path_) - 4096, '\x5a');
    file.write(rubbish.data(), static_cast<std::streamsize>(rubbish.size()));
  }
  std::string said = "written";
  for (int i = 0; i < 50 && said == "written"; ++i) said = refusal();
  EXPECT_THAT(said, HasSubstr("is damaged"));
  EXPECT_THAT(hint_, HasSubstr("stop the JobTracker"));
}

// In a process of its own: what a second one opens and closes here would drop SQLite's locks.
TEST_F(RunningStore, KeepsASecondJobTrackerOutWithoutItsLockFile) {
  fs::remove(StoreLock::file_of(path_));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto second =
        open_sqlite_store(path_, trivial_codec(), {.busy_timeout_ms = 0, .vfs = {}});
    const std::string said = second.ok() ? "" : second.error().message;
    ::_exit(said.ends_with("is in use by another JobTracker") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(submit().ok());
}

TEST_F(RunningStore, IsReadMeanwhile) {
  ASSERT_TRUE(submit().ok());
  Database reader(path_, Database::Access::kRead);
  EXPECT_EQ(reader.integer("SELECT count(*) FROM jobs"), 1);
  EXPECT_TRUE(reader.ok()) << reader.message();
}

// --- What a start finds ---

class StoreAtStart : public RunningStore {
 protected:
  std::string refusal_at_start() {
    store_.reset();
    auto opened = open_sqlite_store(path_, trivial_codec(), {.busy_timeout_ms = 100, .vfs = {}});
    if (!opened) return opened.error().message + "; " + opened.error().hint;
    const auto snapshot = (*opened)->load();
    return snapshot.ok() ? "" : snapshot.error().message;
  }
};

TEST_F(StoreAtStart, OneThatWasEmptiedIsNotBegunAgain) {
  ASSERT_TRUE(submit().ok());
  store_.reset();
  fs::resize_file(path_, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(refusal_at_start(), HasSubstr("has 0 bytes, but has been a store"));
    EXPECT_EQ(fs::file_size(path_), 0u);
  }
  fs::remove(path_);  // as the hint says
  EXPECT_EQ(refusal_at_start(), "");
}

TEST_F(StoreAtStart, SoIsOneWithALogWhoseLockFileIsGone) {
  store_.reset();
  fs::remove(StoreLock::file_of(path_));
  fs::resize_file(path_, 0);
  std::ofstream(path_ + "-wal") << "frames";
  EXPECT_THAT(refusal_at_start(), HasSubstr("has 0 bytes"));
}

// Its files are there, and nothing is in them.
TEST_F(StoreAtStart, AFirstOneThatWasKilledEarlyIsGoneOnWith) {
  store_.reset();
  for (const char* end : {"", "-wal", "-shm", "-lock"}) fs::remove(path_ + end);
  std::ofstream(path_).flush();
  std::ofstream(path_ + "-lock") << "1234\n";
  EXPECT_EQ(refusal_at_start(), "");
  // After one that was removed on purpose, too.
  fs::remove(path_);
  {
    StoreLock lock;
    ASSERT_TRUE(lock.take(path_, 0).ok());
    EXPECT_TRUE(lock.written());
  }
  EXPECT_EQ(refusal_at_start(), "");
}

TEST_F(StoreAtStart, ALinkIsRefusedAsOne) {
  store_.reset();
  fs::rename(path_, moved_);
  fs::create_symlink("moved.db", path_);
  EXPECT_THAT(refusal_at_start(), HasSubstr("is a symbolic link; name the file itself, " + moved_));
}

}  // namespace
}  // namespace weir
