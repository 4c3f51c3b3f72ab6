// Calls that behave: answers now, later, refused, out of order; and a server that stops in the
// middle.
#include "rpc_fixture.h"

namespace weir {
namespace {

TEST_F(RpcTest, EchoesCallsOfOneConnection) {
  start();
  auto client = connect();
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(echo(client, "tt1", i), i);
  EXPECT_EQ(server_->connections(), 1u);
  EXPECT_EQ(server_->refusals().total(), 0);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(RpcTest, AnswersFromAnotherThread) {
  start();
  auto client = connect();
  EXPECT_EQ(echo(client, "later", 7), 7);
  EXPECT_EQ(echo(client, "later", 8), 8);
}

TEST_F(RpcTest, DeclaredExceptionReachesTheClientWhole) {
  start();
  auto client = connect();
  try {
    client.call([](wire::TrackerServiceClient& tracker) {
      wire::JobDescription description;
      tracker.job(description, 7);
    });
    FAIL() << "no exception";
  } catch (const wire::WeirError& error) {
    EXPECT_EQ(error.code, wire::ErrorCode::UNKNOWN_JOB);
    EXPECT_EQ(error.message, "job_7: no such job");
    EXPECT_EQ(error.hint, "weir job list");
  }
  EXPECT_EQ(echo(client, "tt1", 1), 1);  // over the same connection
}

TEST_F(RpcTest, RepliesKeepTheOrderOfTheCalls) {
  start();
  RawClient client(server_->port());
  client.send(beat_frame("park", 1) + beat_frame("park", 2) + beat_frame("now", 3));
  ASSERT_TRUE(eventually([&] { return tracker_->parked() == 2; }));
  tracker_->release(2);
  tracker_->release(1);
  EXPECT_EQ(client.read_reply(), 1);
  EXPECT_EQ(client.read_reply(), 2);
  EXPECT_EQ(client.read_reply(), 3);
}

TEST_F(RpcTest, PipelineIsReadNoFurtherThanItsLimit) {
  limits_.max_in_flight = 4;
  start();
  RawClient client(server_->port());
  std::string calls;
  for (int i = 0; i < 10; ++i) calls += beat_frame("park", i);
  client.send(calls);
  ASSERT_TRUE(eventually([&] { return tracker_->parked() == 4; }));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(eventually([&] { return tracker_->parked() == size_t(std::min(4, 10 - i)); }));
    tracker_->release(i);
    EXPECT_EQ(client.read_reply(), i);
  }
  EXPECT_EQ(server_->refusals().total(), 0);
}

TEST_F(RpcTest, FrameThatComesByteByByteIsServed) {
  limits_.read_timeout = std::chrono::milliseconds(5'000);
  start();
  RawClient client(server_->port());
  for (const char byte : beat_frame("tt1", 5)) client.send({&byte, 1});
  EXPECT_EQ(client.read_reply(), 5);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(RpcTest, LostCallbackIsAnsweredByTheServer) {
  start();
  auto client = connect();
  try {
    echo(client, "lose", 1);
    FAIL() << "no exception";
  } catch (const RpcUnreachable& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("lost this call"));
  }
  EXPECT_EQ(echo(client, "tt1", 2), 2);
}

TEST_F(RpcTest, HandlerThatThrowsCostsOneCall) {
  start();
  auto client = connect();
  EXPECT_THROW(echo(client, "throw", 1), RpcUnreachable);
  EXPECT_EQ(echo(client, "tt1", 2), 2);
  EXPECT_EQ(server_->refusals().total(), 0);
}

TEST_F(RpcTest, ClientThatLeavesBeforeItsReplyHarmsNobody) {
  start();
  {
    RawClient client(server_->port());
    client.send(beat_frame("park", 1));
    ASSERT_TRUE(eventually([&] { return tracker_->parked() == 1; }));
  }
  ASSERT_TRUE(eventually([&] { return server_->connections() == 0; }));
  tracker_->release(1);
  auto client = connect();
  EXPECT_EQ(echo(client, "tt1", 2), 2);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(RpcTest, StopWithCallsInFlight) {
  start();
  RawClient client(server_->port());
  client.send(beat_frame("park", 1) + beat_frame("park", 2));
  ASSERT_TRUE(eventually([&] { return tracker_->parked() == 2; }));
  server_->stop();
  EXPECT_EQ(client.read_to_end(), "");
  tracker_->release(1);  // has no effect, and does no harm
  server_.reset();
  tracker_->release(2);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(RpcTest, StopWithoutIoThread) {
  start(0);
  RawClient client(server_->port());
  server_.reset();
}

// A port of several io_contexts waits in the first one for a connection that another will have.
TEST_F(RpcTest, IoContextsGoInAnyOrder) {
  auto first = std::make_unique<boost::asio::io_context>();
  auto second = std::make_unique<boost::asio::io_context>();
  auto server = FramedServer::listen(
      IoContexts({first.get(), second.get()}), "test port", "127.0.0.1", 0,
      std::make_shared<wire::TrackerServiceAsyncProcessor>(tracker_), limits_, budget_);
  ASSERT_TRUE(server.ok()) << server.error().message;
  server_ = std::move(server).value();
  std::thread first_thread([&] { first->run(); });
  std::thread second_thread([&, work = boost::asio::make_work_guard(*second)] { second->run(); });
  RawClient one(server_->port()), other(server_->port()), third(server_->port());
  for (RawClient* client : {&one, &other, &third}) {
    client->send(beat_frame("tt1", 7));
    EXPECT_EQ(client->read_reply(), 7);
  }
  first->stop();
  second->stop();
  first_thread.join();
  second_thread.join();
  server_.reset();
  second.reset();
  first.reset();
}

TEST_F(RpcTest, PortInUseIsAnErrorThatNamesIt) {
  start();
  auto second = FramedServer::listen(io_, "client port", "127.0.0.1", server_->port(), nullptr,
                                     limits_, budget_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message,
              testing::HasSubstr("127.0.0.1:" + std::to_string(server_->port())));
  EXPECT_THAT(second.error().message, testing::HasSubstr("in use"));
}

TEST_F(RpcTest, SeveralIoThreadsAndManyClients) {
  start(3);
  std::vector<std::thread> clients;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      auto client = connect();
      for (int i = 0; i < 200; ++i) wrong += echo(client, "tt", c * 1000 + i) != c * 1000 + i;
    });
  }
  for (auto& thread : clients) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weir
