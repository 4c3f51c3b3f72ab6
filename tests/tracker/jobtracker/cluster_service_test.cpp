// Queues, trackers and lists of jobs as other ways in than Thrift read them; and the front.
#include <gmock/gmock.h>

#include "harness.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

using Attempts = std::vector<AttemptView>;

Result<Attempts> attempts_of(JobTracker& tracker, const std::string& name) {
  std::promise<Result<Attempts>> answered;
  tracker.cluster().attempts_of_tracker(
      name, [&answered](Result<Attempts> answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

Result<JobPage> find(JobTracker& tracker, JobFilter filter, Version version) {
  std::promise<Result<JobPage>> answered;
  tracker.jobs().find(std::move(filter), version, [&answered](Result<JobPage> answer) {
    answered.set_value(std::move(answer));
  });
  return answered.get_future().get();
}

SubmittedView submit(JobTracker& tracker, const std::string& output) {
  std::promise<Result<SubmittedView>> answered;
  tracker.jobs().submit({"alice", {}}, std::make_shared<JobSpec>(make_spec(5, 0, output)),
                        [&answered](Result<SubmittedView> answer) {
                          answered.set_value(std::move(answer));
                        });
  return *answered.get_future().get();
}

TEST(ClusterServiceTest, WhatATrackerRunsNow) {
  const auto tracker = start_tracker(memory_store());
  FakeTracker worker(tracker->tracker_port(), "tt1");
  worker.join();
  worker.beat();
  EXPECT_TRUE(attempts_of(*tracker, "tt1")->empty());
  const SubmittedView job = submit(*tracker, "/out/a");
  worker.beat();  // two slots
  const auto attempts = attempts_of(*tracker, "tt1");
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->size(), 2u);
  EXPECT_EQ(attempts->at(0).id.task.job, job.job);
  EXPECT_EQ(attempts->at(0).id.task.index, 0u);
  EXPECT_EQ(attempts->at(0).tracker, "tt1");
  EXPECT_EQ(attempts->at(1).id.task.index, 1u);
  const auto none = attempts_of(*tracker, "tt2");
  EXPECT_EQ(none.error().code, ErrorCode::kUnknownTracker);
  EXPECT_EQ(none.error().message, "there is no tracker 'tt2', did you mean 'tt1'?");
}

TEST(JobServiceTest, PagesSayWhereTheNextBegins) {
  const auto tracker = start_tracker(memory_store());
  SubmittedView last;
  for (int i = 0; i < 5; ++i) last = submit(*tracker, "/out/" + std::to_string(i));
  JobFilter filter{.limit = 2};
  const auto first = find(*tracker, filter, last.version);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->jobs.size(), 2u);
  EXPECT_EQ(first->jobs[0].id, last.job);
  EXPECT_EQ(first->jobs[0].reason, "no tracker is connected");
  EXPECT_GE(first->version, last.version);
  filter.from = first->next;
  const auto second = find(*tracker, filter, 0);
  EXPECT_EQ(second->jobs.at(0).id, JobId(3));
  filter.from = second->next;
  const auto third = find(*tracker, filter, 0);
  EXPECT_EQ(third->jobs.size(), 1u);
  EXPECT_EQ(third->next, 0u);
  EXPECT_THAT(find(*tracker, {.limit = 10'001}, 0).error().message,
              HasSubstr("limit: 10001 is out of range"));
  EXPECT_THAT(find(*tracker, {.states = {"RUN"}}, 0).error().message,
              HasSubstr("'RUN' is no state"));
}

// What cli makes of listen.http: it is there once the ports are, and ends with the JobTracker.
TEST(FrontTest, IsMadeWithTheServicesAndStopsWithThem) {
  struct Seen {
    bool stopped = false;
    int client_port = 0;
  };
  class TestFront : public Front {
   public:
    explicit TestFront(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
    int port() const override { return 7; }
    void stop() override { seen_->stopped = true; }

   private:
    std::shared_ptr<Seen> seen_;
  };
  const auto seen = std::make_shared<Seen>();
  const auto start = [&](std::function<Result<std::unique_ptr<Front>>(JobTracker&)> make) {
    Loaded loaded = make_loaded();
    loaded.daemon.listen_trackers = {"127.0.0.1", 0};
    auto store = memory_store();
    auto snapshot = store->load();
    return JobTracker::start({.store = std::move(store),
                              .snapshot = std::move(*snapshot),
                              .settings = std::make_shared<Settings>(loaded.settings),
                              .daemon = loaded.daemon,
                              .make_front = std::move(make)});
  };
  const auto tracker = start([&](JobTracker& made) -> Result<std::unique_ptr<Front>> {
    seen->client_port = made.client_port();
    return std::unique_ptr<Front>(std::make_unique<TestFront>(seen));
  });
  ASSERT_TRUE(tracker.ok());
  EXPECT_EQ((*tracker)->front_port(), 7);
  EXPECT_EQ(seen->client_port, (*tracker)->client_port());
  EXPECT_FALSE(seen->stopped);
  (*tracker)->stop();
  EXPECT_TRUE(seen->stopped);
  const auto refused = start([](JobTracker&) -> Result<std::unique_ptr<Front>> {
    return Error{ErrorCode::kBadRequest, "the port is in use", "", {}};
  });
  EXPECT_EQ(refused.error().message, "the port is in use");
}

}  // namespace
}  // namespace weir
