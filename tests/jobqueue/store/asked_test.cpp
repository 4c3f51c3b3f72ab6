// What a job was submitted with is there while it runs, after its end, and as long as its record
// is; all of them together are bounded.
#include "gtest/gtest.h"
#include "jobqueue/store/asked_rows.h"
#include "jobqueue/store/schema.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;

class AskedOfStore : public testing::Test {
 protected:
  void append(TimeMs at, Fact fact) {
    const Event event{++seq_, at, std::move(fact)};
    ASSERT_TRUE(store_->append(std::span(&event, 1)).ok());
  }
  std::string asked_name(std::uint32_t number) {
    const auto found = store_->history().value()->asked(job(number));
    EXPECT_TRUE(found.ok());
    return *found ? (*found)->name : "";
  }
  void tidy(const Retention& retention) {
    while (store_->tidy(retention).value()) {
    }
  }

  std::unique_ptr<Store> store_ = make_memory_store(trivial_codec());
  std::uint64_t seq_ = 0;
};

TEST_F(AskedOfStore, StaysForAsLongAsTheRecord) {
  (void)store_->load();
  append(1, submitted(7));
  EXPECT_EQ(asked_name(7), "job number 7");
  JobRecord record;
  record.job = job(7);
  record.finished_at = 50;
  append(50, JobStateChanged{job(7), JobState::kFailed, "", false,
                             std::make_shared<const JobRecord>(record)});
  tidy({.finished_before = 60});
  EXPECT_EQ(asked_name(7), "job number 7");
  tidy({.finished_before = 60, .history_before = 60});
  EXPECT_EQ(asked_name(7), "");
  EXPECT_EQ(asked_name(8), "");
}

TEST(AskedRowsTest, BeyondTheBoundThoseOfJobsThatAreOverGoOldestFirst) {
  const TemporaryDirectory directory;
  Database database(directory.file("weir.db"));
  ASSERT_TRUE(migrate(database, "asked", store_migrations()).ok());
  AskedRows rows(database, 1000);
  const std::string text(400, 'x');
  for (std::int64_t number = 1; number <= 4; ++number) rows.put(number, text);
  for (const char* over : {"2", "3"}) {
    database.exec(std::string("INSERT INTO history (id, name, user, queue, output, priority, state,"
                              " submitted_at, started_at, finished_at, maps, maps_succeeded,"
                              " maps_failed, maps_killed, reduces, reduces_succeeded,"
                              " reduces_failed, reduces_killed, diagnostics, counters) VALUES (") +
                  over + ", '', '', '', '', 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '', '')");
  }
  ASSERT_TRUE(database.ok()) << database.message();
  while (rows.bound()) {
  }
  EXPECT_EQ(database.integer("SELECT count(*) FROM asked"), 2);
  EXPECT_EQ(database.integer("SELECT count(*) FROM asked WHERE job IN (1, 4)"), 2);
}

}  // namespace
}  // namespace weir
