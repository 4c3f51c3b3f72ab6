// The blocking client: what it says when there is nobody, and that it comes back; services sharing
// one connection.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "rpc_fixture.h"

namespace weir {
namespace {

// policy-free stand-in for the client service: knows no job, lists one tracker.
class FakeClientService : public wire::ClientServiceCobSvNull {
 public:
  void trackers(std::function<void(const std::vector<wire::TrackerStatus>&)> give,
                std::function<void(TDelayedException*)>) override {
    std::vector<wire::TrackerStatus> trackers(1);
    trackers[0].name = "tt1";
    give(trackers);
  }
};

class ClientTest : public RpcTest {
 protected:
  void start_multiplexed(bool with_default) {
    auto multiplexer = std::make_shared<AsyncMultiplexer>();
    auto tracker = std::make_shared<wire::TrackerServiceAsyncProcessor>(tracker_);
    multiplexer->add("tracker", tracker);
    multiplexer->add("client", std::make_shared<wire::ClientServiceAsyncProcessor>(
                                   std::make_shared<FakeClientService>()));
    if (with_default) multiplexer->set_default(tracker);
    start_with(std::move(multiplexer));
  }
  static std::string failure_of(RpcClient<wire::TrackerServiceClient>& client) {
    try {
      echo(client, "tt1", 1);
    } catch (const RpcUnreachable& error) {
      return error.what();
    }
    return "no failure";
  }
};

TEST_F(ClientTest, ServicesShareAConnection) {
  start_multiplexed(true);
  auto connection = RpcConnection::create("127.0.0.1", server_->port());
  auto tracker = connection->client<wire::TrackerServiceClient>("tracker");
  auto client = connection->client<wire::ClientServiceClient>("client");
  auto plain = connection->client<wire::TrackerServiceClient>();
  EXPECT_EQ(echo(tracker, "later", 1), 1);
  const auto trackers = client.call([](wire::ClientServiceClient& c) {
    std::vector<wire::TrackerStatus> list;
    c.trackers(list);
    return list;
  });
  ASSERT_EQ(trackers.size(), 1u);
  EXPECT_EQ(trackers[0].name, "tt1");
  EXPECT_EQ(echo(plain, "tt1", 2), 2);
  EXPECT_THROW(tracker.call([](wire::TrackerServiceClient& c) {
    wire::JobDescription description;
    c.job(description, 1);
  }),
               wire::WeirError);
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(ClientTest, UnknownServiceIsAnsweredWithTheKnownOnes) {
  start_multiplexed(false);
  auto connection = RpcConnection::create("127.0.0.1", server_->port());
  auto wrong = connection->client<wire::TrackerServiceClient>("trakcer");
  auto plain = connection->client<wire::TrackerServiceClient>();
  auto right = connection->client<wire::TrackerServiceClient>("tracker");
  EXPECT_THAT(failure_of(wrong), testing::HasSubstr("services are: client, tracker"));
  EXPECT_THAT(failure_of(plain), testing::HasSubstr("services are: client, tracker"));
  EXPECT_THAT(failure_of(plain), testing::HasSubstr("what is meant is the port for clients"));
  EXPECT_EQ(echo(right, "tt1", 1), 1);
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(ClientTest, NobodyThereSaysWhatWasTried) {
  start();
  const uint16_t port = server_->port();
  auto client = connect();
  server_.reset();
  ASSERT_TRUE(eventually(
      [&] { return failure_of(client).find("Connection refused") != std::string::npos; }));
  EXPECT_THAT(failure_of(client),
              testing::HasSubstr("cannot connect to 127.0.0.1:" + std::to_string(port)));
  try {
    echo(client, "tt1", 1);
  } catch (const RpcUnreachable& error) {
    EXPECT_FALSE(error.maybe_carried_out());
  }
}

TEST_F(ClientTest, ConnectsAgainAfterTheConnectionBroke) {
  start();
  auto client = connect();
  EXPECT_EQ(echo(client, "tt1", 1), 1);
  client.connection().close();
  EXPECT_THAT(failure_of(client), testing::HasSubstr("broke during a call"));
  EXPECT_EQ(echo(client, "tt1", 2), 2);
}

TEST_F(ClientTest, ReceiveTimeout) {
  start();
  RpcOptions options;
  options.receive_timeout = std::chrono::milliseconds(50);
  auto client = RpcConnection::create("127.0.0.1", server_->port(), options)
                    ->client<wire::TrackerServiceClient>();
  try {
    echo(client, "park", 1);
    FAIL() << "no exception";
  } catch (const RpcUnreachable& error) {
    EXPECT_TRUE(error.maybe_carried_out());
  }
  EXPECT_EQ(echo(client, "tt1", 2), 2);  // not the late reply of the first call
}

TEST_F(ClientTest, CloseFromAnotherThreadEndsACall) {
  start();
  auto client = connect();
  std::thread closer([&] {
    eventually([&] { return tracker_->parked() == 1; });
    client.connection().close();
  });
  EXPECT_THROW(echo(client, "park", 1), RpcUnreachable);
  closer.join();
}

TEST_F(ClientTest, ReplyLargerThanTheClientAllows) {
  start();
  RpcOptions options;
  options.max_frame_bytes = 1000;
  auto client = RpcConnection::create("127.0.0.1", server_->port(), options)
                    ->client<wire::TrackerServiceClient>();
  EXPECT_THROW(echo(client, "large", 100'000), RpcUnreachable);
  EXPECT_EQ(echo(client, "tt1", 2), 2);
}

// A reply of 50 bytes with a list of 16 million launches: refused before there is room made for
// them (2 GB).
TEST_F(ClientTest, ListThatClaimsMoreThanItsFrameHolds) {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  tcp::acceptor acceptor(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  std::thread server([&] {
    tcp::socket socket = acceptor.accept();
    char call[4];
    boost::asio::read(socket, boost::asio::buffer(call));
    // A reply to `heartbeat`: its result, a HeartbeatReply with interval_ms and `launch`.
    std::string reply("\x80\1\0\2\0\0\0\x9heartbeat\0\0\0\0", 21);
    reply += std::string("\xc\0\0\xa\0\1\0\0\0\0\0\0\0\1\xf\0\2\xc\0\xff\xff\xff\0\0\0", 25);
    boost::asio::write(socket, boost::asio::buffer(std::string{0, 0, 0, 46} + reply));
    boost::system::error_code ended;
    while (!ended) socket.read_some(boost::asio::buffer(call), ended);
  });
  EXPECT_THAT(
      [&] {
        auto client = RpcConnection::create("127.0.0.1", acceptor.local_endpoint().port())
                          ->client<wire::TrackerServiceClient>();
        return failure_of(client);
      }(),
      testing::HasSubstr("claims more elements than its frame has"));
  server.join();
}

}  // namespace
}  // namespace weir
