// What a start reads of jobs that are over: their records, and no specs, which may be large.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "jobqueue/store/sqlite_store.h"
#include "jobqueue/store/statement.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::HasSubstr;

struct EndedJobs : testing::Test {
  std::unique_ptr<Store> opened() {
    SpecCodec codec = trivial_codec();
    codec.decode = [this, decode = codec.decode](std::string_view bytes) {
      ++decoded_;
      return decode(bytes);
    };
    auto store = open_sqlite_store(path_, codec);
    WEIR_CHECK(store.ok(), store.ok() ? "" : store.error().message.c_str());
    return std::move(store).value();
  }
  Event end_of(std::uint32_t number) {
    auto record = std::make_shared<JobRecord>();
    record->job = job(number);
    record->name = "ended";
    record->user = "ann";
    record->queue = "org.a";
    record->output = "/out";
    record->state = JobState::kKilled;
    record->tasks[0].total = 1'000'000;
    record->tasks[1].total = 3;
    record->submission = "abc";
    record->time_limit_ms = 7'000;
    return make_(JobStateChanged{job(number), JobState::kKilled, "killed", false, record});
  }
  void execute(const std::string& sql) {
    Database database(path_);
    database.exec(sql);
    EXPECT_TRUE(database.ok()) << database.message();
  }
  std::int64_t specs() { return Database(path_).integer("SELECT count(*) FROM specs"); }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("weir.db");
  EventMaker make_;
  int decoded_ = 0;
};

TEST_F(EndedJobs, AreLoadedWithoutTheirSpecs) {
  const std::vector<Event> events = {make_(submitted(1)), make_(submitted(2)), end_of(1)};
  {
    auto store = opened();
    ASSERT_TRUE(store->load().ok());
    ASSERT_TRUE(store->append(events).ok());
    EXPECT_EQ(specs(), 1);
  }
  const Snapshot snapshot = opened()->load().value();
  EXPECT_EQ(decoded_, 1);
  ASSERT_EQ(snapshot.jobs.size(), 2u);
  const JobSpec& spec = *snapshot.jobs[0].spec;
  EXPECT_EQ(spec.name, "ended");
  EXPECT_EQ(spec.user, "ann");
  EXPECT_EQ(spec.queue, "org.a");
  EXPECT_EQ(spec.output, "/out");
  EXPECT_EQ(spec.submission, "abc");
  EXPECT_EQ(spec.time_limit_ms, 7'000);
  EXPECT_EQ(spec.tasks(TaskKind::kMap), 1'000'000u);
  EXPECT_EQ(spec.tasks(TaskKind::kReduce), 3u);
  EXPECT_TRUE(spec.splits.empty());
  EXPECT_EQ(snapshot.jobs[1].spec->name, "job number 2");
}

TEST_F(EndedJobs, OfAnOlderVersionGiveTheirSpecsAwayAtTheFirstStart) {
  {
    auto store = opened();
    ASSERT_TRUE(store->load().ok());
    const std::vector<Event> events = {make_(submitted(1)), end_of(1)};
    ASSERT_TRUE(store->append(events).ok());
  }
  execute("INSERT INTO specs (job, spec)"
          " VALUES (1, 'old' || char(10) || 'ann' || char(10) || '1')");
  execute("UPDATE history SET submission = NULL");
  auto store = opened();
  EXPECT_EQ(store->load().value().jobs[0].spec->name, "old");
  EXPECT_EQ(decoded_, 1);
  ASSERT_TRUE(store->tidy({}).ok());
  EXPECT_EQ(specs(), 0);
  store.reset();
  EXPECT_EQ(opened()->load().value().jobs.size(), 1u);
  EXPECT_EQ(decoded_, 1);
}

TEST_F(EndedJobs, ThatHaveNeitherSayWhatIsMissing) {
  {
    auto store = opened();
    ASSERT_TRUE(store->load().ok());
    const std::vector<Event> events = {make_(submitted(1)), end_of(1)};
    ASSERT_TRUE(store->append(events).ok());
  }
  execute("DELETE FROM history");
  const auto loaded = opened()->load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("job_0001 has no spec"));
}

}  // namespace
}  // namespace weir
