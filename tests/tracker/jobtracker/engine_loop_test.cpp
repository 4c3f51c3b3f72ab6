// The engine's thread: what it promises, what it refuses, and when readers see it.
#include "tracker/jobtracker/engine_loop.h"

#include <gtest/gtest.h>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <latch>
#include <sstream>

#include "harness.h"
#include "tracker/jobtracker/first_reasons.h"
#include "tracker/jobtracker/worker.h"
#include "tracker/port/peers.h"
#include "tracker/published/listing.h"

namespace weir {
namespace {

// A store whose writes wait for the test.
class GatedStore final : public Store {
 public:
  Result<Snapshot> load() override { return inner_->load(); }
  Status append(std::span<const Event> events) override {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return fail_ ? Status(Error{ErrorCode::kStoreFailed, "the disk is full", "", {}})
                 : inner_->append(events);
  }
  Status touch_time(TimeMs at) override { return inner_->touch_time(at); }
  Status set_meta(std::string_view key, std::string_view value) override {
    return inner_->set_meta(key, value);
  }
  Result<std::optional<std::string>> get_meta(std::string_view key) override {
    return inner_->get_meta(key);
  }
  Result<bool> tidy(const Retention& retention) override {
    const std::lock_guard lock(mutex_);
    tidied_ = retention;
    changed_.notify_all();
    return inner_->tidy(retention);
  }
  Status put_series(std::span<const SeriesRow> rows,
                    std::span<const SeriesRetention> keep) override {
    return inner_->put_series(rows, keep);
  }
  Result<std::unique_ptr<History>> history() override { return inner_->history(); }

  void wait_for_write() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_ > 0; });
  }
  Retention wait_for_tidying() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tidied_.has_value(); });
    return *tidied_;
  }
  void open(bool fail) {
    const std::lock_guard lock(mutex_);
    open_ = true;
    fail_ = fail;
    changed_.notify_all();
  }

 private:
  const std::unique_ptr<Store> inner_ = memory_store();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Retention> tidied_;
  int arrived_ = 0;
  bool open_ = false, fail_ = false;
};

class EngineLoopTest : public ::testing::Test {
 protected:
  void start(
      EngineLoop::Options options = {},
      ViewPublisher::Executor executor = [](const auto& work) { work(); }) {
    Snapshot snapshot = *store_.load();
    const TimeSource time(snapshot.last_time);
    auto settings = std::make_shared<Settings>(make_loaded().settings);
    auto engine = Engine::create(settings, policy_factory(), snapshot, time.now());
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    loop_ = std::make_unique<EngineLoop>(std::move(*engine), store_, time, std::move(executor),
                                         options);
  }

  struct Answer {
    EngineLoop::ReplyBody body;
    std::int64_t version;
  };
  std::future<Answer> post(EngineLoop::Body body) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto future = promise->get_future();
    loop_->post(std::move(body),
                [promise](const EngineLoop::ReplyBody& reply, std::int64_t version) {
                  promise->set_value({reply, version});
                });
    return future;
  }
  std::future<Answer> submit(const std::string& output) {
    return post(SubmitJob{{"alice", {}}, std::make_shared<JobSpec>(make_spec(2, 1, output))});
  }
  // Returns once the engine's thread has done everything posted before.
  std::size_t jobs_inside() {
    std::promise<std::size_t> count;
    loop_->query([&](const Result<EngineLoop::Inside>& inside) {
      count.set_value((*inside).engine->state().jobs().size());
    });
    return count.get_future().get();
  }

  GatedStore store_;
  std::unique_ptr<EngineLoop> loop_;
};

std::size_t jobs_in(const PublishedViews& views) {
  std::size_t jobs = 0;
  const Status listed = each_job(views, {.limit = 10}, [&jobs](const JobView&) { return ++jobs; });
  EXPECT_TRUE(listed.ok());
  return jobs;
}

TEST_F(EngineLoopTest, SubmissionIsAnsweredOnlyWhenDurable) {
  start();
  auto answer = submit("/out/a");
  store_.wait_for_write();
  jobs_inside();
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(jobs_in(*loop_->views().latest()), 0u);
  store_.open(false);
  const Answer done = answer.get();
  ASSERT_TRUE(std::holds_alternative<Submitted>(done.body));
  std::promise<std::size_t> seen;
  loop_->views().when(done.version, [&](const Result<PublishedViewsPtr>& views) {
    seen.set_value(jobs_in(**views));
  });
  EXPECT_EQ(seen.get_future().get(), 1u);
}

TEST_F(EngineLoopTest, RefusedByTheStoreLeavesNothing) {
  start();
  auto answer = submit("/out/a");
  store_.wait_for_write();
  store_.open(true);
  const Answer done = answer.get();
  const auto* error = std::get_if<Error>(&done.body);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->code, ErrorCode::kStoreFailed);
  EXPECT_NE(error->message.find("the disk is full"), std::string::npos) << error->message;
  EXPECT_EQ(jobs_inside(), 0u);
  EXPECT_TRUE(loop_->store_error().has_value());
  EXPECT_TRUE(store_.load()->jobs.empty());
}

TEST_F(EngineLoopTest, FullQueueAnswersBusyAtOnce) {
  store_.open(false);
  start({.queue_limit = 3});
  std::latch entered(1), leave(1);
  loop_->query([&](const auto&) {
    entered.count_down();
    leave.wait();
  });
  entered.wait();
  std::vector<std::future<Answer>> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(submit("/out/" + std::to_string(i)));
  for (int i = 3; i < 5; ++i) {
    const Answer answer = answers[i].get();
    EXPECT_EQ(std::get<Error>(answer.body).code, ErrorCode::kBusy);
  }
  bool busy = false;
  loop_->query([&](const Result<EngineLoop::Inside>& inside) { busy = !inside.ok(); });
  EXPECT_TRUE(busy);
  leave.count_down();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::holds_alternative<Submitted>(answers[i].get().body));
}

// One address posts all that it may; another and the trackers are served as if it were not there.
TEST_F(EngineLoopTest, RequestsOfOneAddressHoldUpNeitherHeartbeatsNorOthers) {
  store_.open(false);
  start({.queue_limit = 100, .requests_ms = 0});
  const Peer eve("127.0.0.2"), bob("127.0.0.3");
  std::atomic<int> served{0};
  std::latch entered(1), leave(1);
  loop_->query([&](const auto&) {
    entered.count_down();
    leave.wait();
  });
  entered.wait();
  int refused = 0;
  {
    const CallingPeerScope calling(eve, std::make_shared<Speakers>());
    for (int i = 0; i < 200; ++i) {
      loop_->query([&](const Result<EngineLoop::Inside>& inside) {
        if (inside) {
          ++served;
        } else {
          EXPECT_EQ(inside.error().code, ErrorCode::kBusy);
          ++refused;
        }
      });
    }
  }
  EXPECT_EQ(refused, 175);  // a user may have half of the half that an address may have
  RegisterTracker registration;
  registration.name = "tt1";
  std::promise<int> before_heartbeat, before_bob;
  loop_->post(registration, [&](const EngineLoop::ReplyBody& reply, std::int64_t) {
    EXPECT_TRUE(std::holds_alternative<Registered>(reply));
    before_heartbeat.set_value(served);
  });
  {
    const CallingPeerScope calling(bob, std::make_shared<Speakers>());
    loop_->query([&](const Result<EngineLoop::Inside>& inside) {
      EXPECT_TRUE(inside.ok());
      before_bob.set_value(served);
    });
  }
  leave.count_down();
  EXPECT_EQ(before_heartbeat.get_future().get(), 0);
  EXPECT_LE(before_bob.get_future().get(), 1);
  jobs_inside();
  loop_->stop();
  EXPECT_EQ(served, 25);
}

// What the logger that all share is given, for as long as this lives.
class CapturedLog {
 public:
  CapturedLog() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~CapturedLog() { spdlog::set_default_logger(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

TEST_F(EngineLoopTest, ASubmissionThatTheStoreRefusedIsInNoLog) {
  CapturedLog log;
  start();
  auto refused = submit("/out/a");
  store_.wait_for_write();
  jobs_inside();
  store_.open(true);
  EXPECT_TRUE(std::holds_alternative<Error>(refused.get().body));
  store_.open(false);
  auto taken = submit("/out/b");
  ASSERT_TRUE(std::holds_alternative<Submitted>(taken.get().body));
  loop_->stop();
  EXPECT_EQ(log.text().find("job_0001: submitted"), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("job_0002: submitted by alice to queue default"), std::string::npos)
      << log.text();
}

TEST_F(EngineLoopTest, ACommandThatTheStoreRefusedIsInNoLog) {
  CapturedLog log;
  start();
  const Caller root{"root", {}};
  store_.open(false);
  ASSERT_TRUE(std::holds_alternative<Submitted>(submit("/out/a").get().body));
  store_.open(true);
  const auto settings = std::make_shared<Settings>(make_loaded("history: {keep: 2h}\n").settings);
  const std::vector<EngineLoop::Body> commands = {
      SetQueueState{root, "default", true}, SetPolicy{root, "fair"},
      SetPriority{root, JobId(1), Priority::kHigh}, MoveJob{root, JobId(1), "small"},
      ApplySettings{root, settings, {}}};
  for (const EngineLoop::Body& body : commands) {
    const Answer refused = post(body).get();
    ASSERT_TRUE(std::holds_alternative<Error>(refused.body));
    EXPECT_EQ(std::get<Error>(refused.body).code, ErrorCode::kStoreFailed);
  }
  const DecisionFilter done{.kinds = {"queue", "policy", "priority", "move", "settings"}};
  const WallClock wall;
  EXPECT_TRUE(loop_->decisions().read(done, wall)->decisions.empty());
  EXPECT_EQ(loop_->decisions().read({.kinds = {"refused"}}, wall)->decisions.size(), 5u);
  store_.open(false);
  ASSERT_TRUE(std::holds_alternative<Done>(post(SetQueueState{root, "small", true}).get().body));
  EXPECT_EQ(loop_->decisions().read(done, wall)->decisions.size(), 1u);
  loop_->stop();
  for (const char* wrong : {"queue default: stopped", "is to be the policy", "new ones from"})
    EXPECT_EQ(log.text().find(wrong), std::string::npos) << log.text();
  EXPECT_NE(log.text().find("queue small: stopped"), std::string::npos) << log.text();
}

// What has been promised has to be written, and may be stopped: a kill is taken.
TEST_F(EngineLoopTest, AStoreThatIsBehindTakesNoMoreJobs) {
  start({.store = {.events = 1}});
  auto first = submit("/out/a");
  store_.wait_for_write();
  EXPECT_EQ(std::get<Error>(submit("/out/b").get().body).code, ErrorCode::kBusy);
  auto kill = post(KillJob{{"alice", {}}, JobId(9)});
  EXPECT_EQ(std::get<Error>(kill.get().body).code, ErrorCode::kUnknownJob);
  store_.open(false);
  EXPECT_TRUE(std::holds_alternative<Submitted>(first.get().body));
  EXPECT_EQ(jobs_inside(), 1u);
}

TEST_F(EngineLoopTest, FinishedJobsAndHistoryAreKeptForAsLongAsTheSettingsSay) {
  store_.open(false);
  ASSERT_TRUE(store_.touch_time(TimeMs{1000} * 24 * 3600 * 1000).ok());
  start({.tidy_gap_ms = 0});
  submit("/out/a").get();
  const Retention kept = store_.wait_for_tidying();
  const Settings settings = make_loaded().settings;
  ASSERT_NE(settings.history.keep_ms, settings.finished_jobs_kept_ms);
  EXPECT_EQ(kept.finished_before - kept.history_before,
            settings.history.keep_ms - settings.finished_jobs_kept_ms);
}

TEST_F(EngineLoopTest, StopAnswersEverybody) {
  start();
  auto durable = submit("/out/a");
  store_.wait_for_write();
  store_.open(false);
  loop_->stop();
  EXPECT_TRUE(std::holds_alternative<Submitted>(durable.get().body));
  auto late = submit("/out/b");
  EXPECT_EQ(std::get<Error>(late.get().body).code, ErrorCode::kShuttingDown);
  EXPECT_EQ(store_.load()->jobs.size(), 1u);
}

TEST_F(EngineLoopTest, ManyThreadsEachGetTheirOwnAnswer) {
  store_.open(false);
  start();
  constexpr int kThreads = 4, kEach = 50;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::uint32_t> jobs;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const Answer answer = submit("/o/" + std::to_string(t) + "/" + std::to_string(i)).get();
        const std::lock_guard lock(mutex);
        jobs.insert(std::get<Submitted>(answer.body).job.value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(jobs.size(), std::size_t{kThreads * kEach});
}

TEST_F(EngineLoopTest, VersionThatNeverComesIsRefusedAtTheEnd) {
  store_.open(false);
  start();
  std::promise<ErrorCode> code;
  loop_->views().when(INT64_MAX, [&](const Result<PublishedViewsPtr>& views) {
    code.set_value(views.error().code);
  });
  loop_->stop();
  EXPECT_EQ(code.get_future().get(), ErrorCode::kBusy);
}

// The engine says why jobs wait; whoever writes that down has no part of its thread.
TEST_F(EngineLoopTest, ReasonsAreHandedOverOffTheEnginesThread) {
  Worker worker;
  store_.open(false);
  start({}, [&worker](std::function<void()> work) { worker.run(std::move(work)); });
  std::vector<JobId> jobs;
  for (int i = 0; i < 25; ++i) {  // more than the engine looks at in one go
    const Answer done = submit("/out/" + std::to_string(i)).get();
    jobs.push_back(std::get<Submitted>(done.body).job);
  }
  std::promise<std::thread::id> engines;
  loop_->query(
      [&](const Result<EngineLoop::Inside>&) { engines.set_value(std::this_thread::get_id()); });
  std::promise<std::thread::id> writers;
  FirstReasons reasons;
  ask_first_reasons(*loop_, {"127.0.0.1", ""}, jobs, [&](const FirstReasons& found) {
    reasons = found;
    writers.set_value(std::this_thread::get_id());
  });
  EXPECT_NE(writers.get_future().get(), engines.get_future().get());
  EXPECT_EQ(reasons.size(), jobs.size());
  EXPECT_EQ(reasons[jobs.back()], "no tracker is connected");
  loop_->stop();
  worker.stop();
}

}  // namespace
}  // namespace weir
