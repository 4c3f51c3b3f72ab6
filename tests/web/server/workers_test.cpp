// The threads that compute: what is slow holds up what is slow, and what nobody waits for is not
// done.
#include "web/server/workers.h"

#include "web/server/http_fixture.h"

namespace weir::web {
namespace {

using ::testing::HasSubstr;

class WorkersTest : public HttpTest {
 protected:
  // Every worker but those of "/now".
  void block_all() {
    for (int i = 0; i < 2; ++i) {
      blocking_.push_back(connect(0, "127.0.0.9"));
      ask(blocking_.back(), "/block");
    }
    ASSERT_TRUE(eventually([&] { return site_->blocked() == 2; }));
  }
  static void ask(RawHttp& client, const std::string& path) {
    client.send("GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n");
  }
  RawHttp asking(const std::string& path, const char* source = "127.0.0.1") {
    const std::size_t before = workers_->waiting();
    RawHttp client = connect(0, source);
    ask(client, path);
    EXPECT_TRUE(eventually([&] { return workers_->waiting() == before + 1; }));
    return client;
  }

  std::vector<RawHttp> blocking_;
};

TEST_F(WorkersTest, WhatIsSlowHoldsUpNeitherTheSocketsNorWhoHasOtherWorkers) {
  start();
  block_all();
  auto waits = asking("/say/slow");
  EXPECT_EQ(connect().get("/now/say/quick").body, "quick");
  auto garbage = connect();
  garbage.send("nonsense\r\n\r\n");
  EXPECT_EQ(garbage.read_answer().status, 400);
  EXPECT_EQ(site_->handled(), 3);
  site_->unblock();
  EXPECT_EQ(waits.read_answer().body, "slow");
  for (RawHttp& client : blocking_) EXPECT_EQ(client.read_answer().body, "unblocked");
}

TEST_F(WorkersTest, WhatIsTooMuchIsRefusedAtOnce) {
  most_waiting_ = 8;
  start();
  block_all();
  std::vector<RawHttp> waiting;
  for (int i = 0; i < 2; ++i) waiting.push_back(asking("/say/x"));
  auto much = connect();
  const auto answer = much.get("/say/x");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_THAT(answer.body, HasSubstr("\"code\": \"BUSY\""));
  EXPECT_THAT(answer.body, HasSubstr("from your address"));
  EXPECT_EQ(much.get("/now/say/on").body, "on");  // the connection goes on
  for (const char* address : {"127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"})
    waiting.push_back(asking("/say/x", address));
  EXPECT_EQ(connect(0, "127.0.0.6").get("/say/x").status, 503);
  site_->unblock();
  for (RawHttp& client : waiting) EXPECT_EQ(client.read_answer().body, "x");
}

TEST_F(WorkersTest, WhoLeavesTakesAlongWhatWaits) {
  start();
  block_all();
  {
    std::vector<RawHttp> leaving;
    for (int i = 0; i < 5; ++i) leaving.push_back(asking("/say/x"));
  }
  EXPECT_TRUE(eventually([&] { return workers_->waiting() == 0; }));
  site_->unblock();
  EXPECT_EQ(connect().get("/say/last").body, "last");
  EXPECT_EQ(site_->handled(), 3);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(WorkersTest, WhoLeavesTakesAlongWhatWasHandedOver) {
  start();
  {
    auto leaving = connect();
    ask(leaving, "/hand");
    ASSERT_TRUE(eventually([&] { return site_->handled() == 1; }));
    block_all();
    EXPECT_TRUE(eventually([&] { return workers_->waiting() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return workers_->waiting() == 0; }));
  site_->unblock();
  EXPECT_EQ(connect().get("/say/last").body, "last");
  EXPECT_EQ(site_->handed(), 0);
}

TEST_F(WorkersTest, WhoHasOnlyEndedItsSideIsToldThatItsAnswerComes) {
  start();
  block_all();
  auto client = asking("/say/late");
  client.end_sending();
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 102 Processing\r\n\r\n");
  EXPECT_EQ(workers_->waiting(), 1u);
  site_->unblock();
  EXPECT_EQ(client.read_answer().body, "late");
}

// By then it is known for which user its bytes count.
TEST_F(WorkersTest, AnAnswerLeavesWhenItsHandlerHasReturned) {
  start();
  auto client = connect();
  ask(client, "/early");
  ASSERT_TRUE(eventually([&] { return site_->blocked() == 1; }));
  EXPECT_EQ(connect().get("/now/say/later").body, "later");
  EXPECT_FALSE(client.has_more());
  site_->unblock();
  EXPECT_EQ(client.read_answer().body, "early");
}

TEST_F(WorkersTest, NothingIsDoneAfterTheEnd) {
  Workers workers("test", 1, 10);
  workers.stop();
  EXPECT_EQ(workers.add("a", nullptr, [] { ADD_FAILURE(); }), Workers::Room::kAllFull);
  EXPECT_EQ(workers.waiting(), 0u);
}

TEST_F(WorkersTest, OneThatFailsIsNotTheLast) {
  Workers workers("test", 1, 10);
  std::atomic<bool> done{false};
  workers.add("a", nullptr, [] { throw std::runtime_error("broken"); });
  workers.add("a", nullptr, [&] { done = workers.runs_here(); });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_FALSE(workers.runs_here());
}

// So that free memory can be given back: bodies of requests, of answers, and what is compressed.
TEST_F(WorkersTest, BodiesThatAreNeededNoLongerAreTold) {
  start();
  auto client = connect();
  client.send("POST /say/ HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n" +
              std::string(100, 'x'));
  EXPECT_EQ(client.read_answer().body.size(), 100u);
  EXPECT_TRUE(eventually([&] { return freed_ == 200; }));
  EXPECT_EQ(client.get("/large/1000000").body.size(), 1'000'000u);
  EXPECT_TRUE(eventually([&] { return freed_ == 1'000'200; }));
  const std::size_t packed = client.get("/tag", "Accept-Encoding: gzip\r\n").body.size();
  EXPECT_TRUE(eventually([&] { return freed_ == 1'005'200 + packed; }));
}

}  // namespace
}  // namespace weir::web
