// Whose turn it is to run the engine: the thread that brings what a tracker says, if nobody else
// has it, and the engine's own thread for all else.
#include <gtest/gtest.h>

#include <latch>

#include "harness.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {
namespace {

class TurnsTest : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }
  void start(EngineLoop::Options options) {
    loop_.reset();
    store_ = memory_store();
    Snapshot snapshot = *store_->load();
    const TimeSource time(snapshot.last_time);
    auto engine = Engine::create(std::make_shared<Settings>(make_loaded().settings),
                                 policy_factory(), snapshot, time.now());
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    loop_ = std::make_unique<EngineLoop>(
        std::move(*engine), *store_, time, [](const auto& work) { work(); }, options);
  }
  static RegisterTracker registration(const std::string& name) {
    RegisterTracker out;
    out.name = name;
    out.host = "127.0.0.1";
    out.total.slots(TaskKind::kMap) = 1;
    return out;
  }
  static Heartbeat heartbeat(const std::string& name, std::int64_t sequence) {
    Heartbeat out;
    out.name = name;
    out.sequence = sequence;
    return out;
  }
  // On which thread a heartbeat was answered.
  std::thread::id answered_on(Heartbeat report) {
    std::promise<std::thread::id> thread;
    loop_->post(std::move(report), [&](const EngineLoop::ReplyBody& reply, std::int64_t) {
      EXPECT_TRUE(std::holds_alternative<HeartbeatReply>(reply));
      thread.set_value(std::this_thread::get_id());
    });
    return thread.get_future().get();
  }
  void enlist(const std::string& name) {
    std::promise<void> done;
    loop_->post(registration(name), [&](const auto&, std::int64_t) { done.set_value(); });
    done.get_future().get();
  }

  std::unique_ptr<Store> store_;
  std::unique_ptr<EngineLoop> loop_;
};

TEST_F(TurnsTest, AHeartbeatIsWorkedOnByTheThreadThatBringsIt) {
  enlist("tt1");
  std::thread::id thread;
  // Now and then the engine's own thread has the turn.
  for (std::int64_t sequence = 1; thread != std::this_thread::get_id(); ++sequence)
    thread = answered_on(heartbeat("tt1", sequence));
}

TEST_F(TurnsTest, WhoFindsTheTurnTakenLeavesHisInputAndGoes) {
  enlist("tt1");
  std::latch entered(1), leave(1);
  std::thread::id own;
  loop_->query([&](const auto&) {
    own = std::this_thread::get_id();
    entered.count_down();
    leave.wait();
  });
  entered.wait();
  std::promise<std::thread::id> thread;
  loop_->post(heartbeat("tt1", 1),
              [&](const auto&, std::int64_t) { thread.set_value(std::this_thread::get_id()); });
  leave.count_down();  // not before the post has come back
  EXPECT_EQ(thread.get_future().get(), own);
}

// What it says goes to readers without anybody asking: the own thread, which slept, is woken.
TEST_F(TurnsTest, WhatTrackersSayIsPublished) {
  enlist("tt1");
  answered_on(heartbeat("tt1", 1));
  const auto seen = [this] { return loop_->views().latest()->trackers.get(0) != nullptr; };
  while (!seen()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Heartbeats change views, but where nobody reads them they are made seldom.
TEST_F(TurnsTest, WhatNobodyReadsIsNotPublishedAtOnce) {
  start({.unread_gap_ms = 3'600'000});
  enlist("tt1");
  const std::int64_t version = loop_->views().version();
  for (std::int64_t sequence = 1; sequence <= 20; ++sequence) {
    answered_on(heartbeat("tt1", sequence));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(loop_->views().version(), version);
  loop_->views().latest();
  for (std::int64_t sequence = 21; loop_->views().version() == version; ++sequence)
    answered_on(heartbeat("tt1", sequence));
}

// Each of them must get the turn while others take it as fast as they can.
TEST_F(TurnsTest, HeartbeatsKeepNoRequestFromItsTurn) {
  constexpr int kThreads = 3, kRequests = 50;
  std::atomic<bool> over{false};
  std::atomic<int> heard{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    const std::string name = "tt" + std::to_string(t);
    enlist(name);
    threads.emplace_back([&, name] {
      for (std::int64_t sequence = 1; !over; ++sequence) {
        loop_->post(heartbeat(name, sequence), [&](const auto&, std::int64_t) { ++heard; });
      }
    });
  }
  while (heard == 0) std::this_thread::yield();
  for (int i = 0; i < kRequests; ++i) {
    std::promise<void> asked;
    loop_->query([&](const Result<EngineLoop::Inside>& inside) {
      EXPECT_TRUE(inside.ok());
      asked.set_value();
    });
    asked.get_future().get();
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  loop_->stop();
  EXPECT_GT(heard, 0);
}

TEST_F(TurnsTest, EverybodyIsAnsweredOnceHoweverItEnds) {
  constexpr int kThreads = 3;
  std::atomic<int> posted{0}, answered{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    const std::string name = "tt" + std::to_string(t);
    enlist(name);
    threads.emplace_back([&, name] {
      for (std::int64_t sequence = 1; !over; ++sequence) {
        ++posted;
        loop_->post(heartbeat(name, sequence), [&](const auto&, std::int64_t) { ++answered; });
      }
    });
  }
  while (answered < 1'000) std::this_thread::yield();
  loop_->stop();
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(posted, answered);
}

}  // namespace
}  // namespace weir
