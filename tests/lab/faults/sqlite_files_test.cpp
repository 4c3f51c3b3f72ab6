// The store on a disk that forgets: what append() has said is written is there after every power
// cut, whatever of the rest has come to the disk.
#include "lab/faults/sqlite_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobqueue/store/sqlite_store.h"
#include "jobqueue/store/statement.h"
#include "jobqueue/store/store_fixture.h"
#include "lab/kit/dice.h"

namespace weir::faults {
namespace {

using namespace store_test;

bool loses_rest() {
  return false;
}

class UnpluggedStore : public testing::Test {
 protected:
  void open(std::uint32_t log_pages = 4'000) {
    files_.restart();
    auto opened = open_sqlite_store(path_, trivial_codec(),
                                    {.log_pages = log_pages, .vfs = files_.name()});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = std::move(*opened);
  }
  void append(Fact fact) {
    ASSERT_TRUE(store_->append(std::vector<Event>{make_(std::move(fact))}).ok());
  }
  void kill() {
    files_.die();
    store_.reset();
  }
  std::size_t jobs() { return store_->load().value().jobs.size(); }

  const std::string path_ = "/weir.db";
  SqliteFiles files_;
  EventMaker make_;
  std::unique_ptr<Store> store_;
};

TEST_F(UnpluggedStore, HasWhatWasAppended) {
  open();
  append(submitted(1));
  append(submitted(2));
  append(JobKillRequested{job(1), "ann"});
  ASSERT_TRUE(store_->set_meta("of the daemon", "value").ok());
  ASSERT_TRUE(store_->touch_time(77'000).ok());
  kill();
  files_.lose_power(loses_rest);
  open();
  const Snapshot snapshot = store_->load().value();
  ASSERT_EQ(snapshot.jobs.size(), 2u);
  EXPECT_TRUE(snapshot.jobs[0].kill_requested);
  EXPECT_EQ(snapshot.last_time, 77'000);
  EXPECT_EQ(store_->get_meta("of the daemon").value(), "value");
}

TEST_F(UnpluggedStore, SyncsOnceAnAppend) {
  open();
  append(submitted(1));
  const std::uint64_t before = files_.syncs();
  append(submitted(2));
  EXPECT_EQ(files_.syncs(), before + 1);
}

// So that the tests above can fail.
TEST_F(UnpluggedStore, WouldLoseWhatIsNotSynced) {
  open();
  append(submitted(1));
  files_.ignore_log_syncs();
  append(submitted(2));
  kill();
  files_.lose_power(loses_rest);
  open();
  EXPECT_EQ(jobs(), 1u);
}

TEST_F(UnpluggedStore, LosesNothingWhenItsProcessAloneIsKilled) {
  open();
  files_.ignore_log_syncs();
  append(submitted(1));
  kill();
  open();
  EXPECT_EQ(jobs(), 1u);
}

// Cut after cut, while the log is being taken into the file again and again.
TEST_F(UnpluggedStore, IsWholeWhateverSectorsAreLost) {
  Dice dice(1);
  std::uint32_t submitted_jobs = 0;
  open();
  for (int cut = 0; cut < 100; ++cut) {
    const std::int64_t appends = dice.below(12);
    for (std::int64_t i = 0; i < appends; ++i) append(submitted(++submitted_jobs));
    kill();
    const int kept = static_cast<int>(dice.below(101));
    files_.lose_power([&] { return dice.chance(kept); });
    open(static_cast<std::uint32_t>(dice.between(1, 40)));
    ASSERT_EQ(jobs(), submitted_jobs) << "after cut " << cut;
  }
  store_.reset();
  Database database(path_, Database::Access::kWrite, files_.name());
  EXPECT_EQ(database.integer("SELECT count(*) FROM pragma_integrity_check WHERE "
                             "integrity_check <> 'ok'"),
            0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM jobs"), submitted_jobs);
}

}  // namespace
}  // namespace weir::faults
