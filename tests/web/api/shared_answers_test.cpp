// What many ask for at once is made once, and what is dear is not made often.
#include "web/api/shared_answers.h"

#include <gtest/gtest.h>

#include <thread>

#include "tracker/port/peers.h"
#include "web/server/connection.h"

namespace weir::web {
namespace {

class SharedAnswersTest : public ::testing::Test {
 protected:
  // A reply that goes nowhere: what counts is how often the answer is made. Its client is there as
  // long as its request.
  Reply reply(const std::shared_ptr<HttpRequest>& request) {
    return Reply(HttpResponder(server_, {}, request, 0, workers_));
  }
  void ask(const std::string& key = "/x") { ask(key, client_); }
  void ask(const std::string& key, const std::shared_ptr<HttpRequest>& client) {
    shared_.get(key, reply(client), [this](Answer<HttpAnswer> answer, auto wanted) {
      ++made_;
      for_whom_ = calling_peer();
      answer_ = std::move(answer);
      wanted_ = std::move(wanted);
    });
  }
  void give(std::string text = "x") { answer_(text_answer(200, "text/plain", std::move(text))); }
  // Until what is planned has begun.
  void go_on() {
    io_.restart();
    io_.run();
  }

  Workers workers_{"test", 0, 0};
  const std::shared_ptr<HttpShared> server_ = std::make_shared<HttpShared>(
      "test", HttpLimits{}, HttpService{}, std::make_shared<ByteBudget>(1 << 20));
  const std::shared_ptr<HttpRequest> client_ = std::make_shared<HttpRequest>();
  boost::asio::io_context io_;
  std::uint64_t told_ = 0;
  bool room_ = true;
  SharedAnswers shared_{io_,
                        [this](const std::function<void()>& work) {
                          if (room_) work();
                          return room_;
                        },
                        [this] { return told_; }};
  int made_ = 0;
  std::string for_whom_;
  Answer<HttpAnswer> answer_;
  SharedAnswers::Wanted wanted_;
};

TEST_F(SharedAnswersTest, OnceForAllWhoAskMeanwhile) {
  for (int i = 0; i < 200; ++i) ask();
  EXPECT_EQ(made_, 1);
  give();
  ask();  // good for a moment
  EXPECT_EQ(made_, 1);
  ask("/y");
  EXPECT_EQ(made_, 2);
}

TEST_F(SharedAnswersTest, AnewAfterAChange) {
  ask();
  give();
  ++told_;
  ask();
  go_on();
  EXPECT_EQ(made_, 2);
}

TEST_F(SharedAnswersTest, NotForWhoHasLeft) {
  auto first = std::make_shared<HttpRequest>(), second = std::make_shared<HttpRequest>();
  ask("/x", first);
  ask("/x", second);
  first = nullptr;
  EXPECT_TRUE(wanted_());
  second = nullptr;
  EXPECT_FALSE(wanted_());
  EXPECT_EQ(made_, 1);
  ask();  // as if it had not been begun
  EXPECT_EQ(made_, 2);
  EXPECT_TRUE(wanted_());
}

// Who waits until it may be made again, and leaves, has it not made.
TEST_F(SharedAnswersTest, NotWhenItsTimeComesForWhoHasLeft) {
  ask();
  give();
  ++told_;
  ask();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  give();  // early, and dear: the next is planned
  ++told_;
  auto client = std::make_shared<HttpRequest>();
  ask("/x", client);
  EXPECT_EQ(made_, 2);
  client = nullptr;
  go_on();
  EXPECT_EQ(made_, 2);
  ask();
  EXPECT_EQ(made_, 3);
}

TEST_F(SharedAnswersTest, WithoutRoomForThePlannedOneThereIsAnotherOneLater) {
  ask();
  give();
  ++told_;
  ask();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  give();
  ++told_;
  room_ = false;
  ask();
  go_on();
  EXPECT_EQ(made_, 2);  // who waited was refused
  ask();
  EXPECT_EQ(made_, 3);
}

// One that was being made when the change came shows what was before it.
TEST_F(SharedAnswersTest, AnewForWhoAsksAfterAChangeWhileOneIsMade) {
  ask();
  ++told_;
  ask();
  EXPECT_EQ(made_, 1);
  give("before");
  go_on();
  EXPECT_EQ(made_, 2);
  ask();
  EXPECT_EQ(made_, 2);  // the second is still being made
}

// Who changes something sees it at once; however many do, they leave the time to others.
TEST_F(SharedAnswersTest, ADearOneLeavesTheTimeToOthers) {
  const auto cost = std::chrono::milliseconds(10);
  const auto give_dear = [&] {
    std::this_thread::sleep_for(cost);
    give();
  };
  ask();
  give_dear();
  ++told_;
  const auto begun = SharedAnswers::Clock::now();
  ask();
  EXPECT_EQ(made_, 2);
  give_dear();
  for (int i = 0; i < 50; ++i) {
    ++told_;
    ask();
  }
  EXPECT_EQ(made_, 2);
  go_on();
  EXPECT_EQ(made_, 3);
  EXPECT_GE(SharedAnswers::Clock::now(), begun + SharedAnswers::kTimesItsCost * cost);
}

TEST_F(SharedAnswersTest, AFailureIsNotKept) {
  ask();
  answer_(Error{ErrorCode::kBusy, "busy", "", {}});
  ask();
  go_on();
  EXPECT_EQ(made_, 2);
}

TEST_F(SharedAnswersTest, OnNobodysAccount) {
  const Peer peer("192.0.2.1");
  const CallingPeerScope calling(peer, nullptr);
  ask();
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(for_whom_, "");
}

TEST_F(SharedAnswersTest, WhoAsksForTooManyThingsIsAnsweredAlone) {
  for (std::size_t key = 0; key < SharedAnswers::kMostKeys; ++key) ask(std::to_string(key));
  made_ = 0;
  for (int i = 0; i < 3; ++i) ask("/x");
  EXPECT_EQ(made_, 3);
  ask("0");
  EXPECT_EQ(made_, 3);
}

class LargeAnswersTest : public SharedAnswersTest {
 protected:
  void ask_and_give(const std::string& key, std::size_t bytes) {
    HttpAnswer large = text_answer(200, "text/plain", std::string(bytes, 'x'));
    large.gzipped = std::make_shared<const std::string>("as if");
    ask(key);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so it is good for 2 s
    answer_(large);
  }
};

TEST_F(LargeAnswersTest, AreNotAllKept) {
  for (const char* key : {"a", "b", "c"}) ask_and_give(key, SharedAnswers::kMostBytes / 3);
  made_ = 0;
  ask("a");
  ask("b");
  EXPECT_EQ(made_, 0);
  ask("c");
  EXPECT_EQ(made_, 1);
}

TEST_F(LargeAnswersTest, WhatIsOverMakesRoom) {
  for (const char* key : {"a", "b", "c", "d"}) {
    ++told_;
    ask_and_give(key, SharedAnswers::kMostBytes / 3 * 2);
    made_ = 0;
    ask(key);
    EXPECT_EQ(made_, 0) << key;
  }
}

}  // namespace
}  // namespace weir::web
