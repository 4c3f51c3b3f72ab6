// Clients that send what is wrong, too much, too slowly, or take too little.
#include "web/server/http_fixture.h"

namespace weir::web {
namespace {

using ::testing::HasSubstr;

class HostileTest : public HttpTest {};

struct Refused {
  const char* name;
  std::string request;
  int status;
};

class RefusedTest : public HttpTest, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedTest, WithAStatusThatSaysWhy) {
  start();
  auto client = connect();
  client.send(GetParam().request);
  const auto answer = client.read_answer();
  EXPECT_EQ(answer.status, GetParam().status) << answer.head << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("\"message\": \""));
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_EQ(server_->refusals().total(), 1);
  // Whoever is well-behaved notices nothing.
  EXPECT_EQ(connect().get("/say/fine").body, "fine");
}

std::string get(const std::string& target, const std::string& headers = "Host: here\r\n") {
  return "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n";
}
const std::string kChunked = "Transfer-Encoding: chunked\r\n";
std::string post(const std::string& headers) {
  return "POST /say/ HTTP/1.1\r\nHost: here\r\n" + headers + "\r\n";
}

INSTANTIATE_TEST_SUITE_P(
    Requests, RefusedTest,
    ::testing::Values(
        Refused{"Garbage", std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10), 400},
        Refused{"NoPath", "GET nonsense HTTP/1.1\r\nHost: here\r\n\r\n", 400},
        Refused{"NulInPath", get("/say/%00"), 400}, Refused{"BadEscape", get("/say/%2"), 400},
        Refused{"NoUtf8", get("/say/%ff"), 400}, Refused{"Surrogate", get("/say/%ED%A0%80"), 400},
        Refused{"NulInQuery", get("/say/a?b=%00"), 400},
        Refused{"RawByte", get("/say/\xC3\xA4"), 400}, Refused{"NoHost", get("/say/a", ""), 400},
        Refused{"TwoHosts", get("/say/a", "Host: a\r\nHost: b\r\n"), 400},
        Refused{"FoldedHeader", get("/say/a", "Host: a\r\nX: 1\r\n : 2\r\nBad Name: 3\r\n"), 400},
        Refused{"TwoLengths", post("Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
        Refused{"NegativeLength", post("Content-Length: -1\r\n"), 400},
        Refused{"LengthAndChunks", post("Content-Length: 1\r\n" + kChunked), 400},
        Refused{"ChunksAndLength", post(kChunked + "Content-Length: 1\r\n"), 400},
        Refused{"BadChunk", post(kChunked) + "zz\r\n", 400},
        Refused{"EmptyHost", get("/say/a", "Host: \r\n"), 400},
        Refused{"LongBody", post("Content-Length: 300000\r\n"), 413},
        Refused{"HugeBody", post("Content-Length: 18446744073709551615\r\n"), 413},
        Refused{"LongChunk", post(kChunked) + "fffffff\r\n", 413},
        Refused{"GzippedBody", post("Content-Length: 1\r\nContent-Encoding: gzip\r\n"), 415},
        Refused{"Expectation", post("Content-Length: 1\r\nExpect: wonders\r\n"), 417},
        Refused{"LongHeaders", get("/say/a", "Host: a\r\nX: " + std::string(17000, 'x') + "\r\n"),
                431},
        Refused{"LongTarget", get("/say/" + std::string(17000, 'x')), 431},
        Refused{"Connect", "CONNECT here:80 HTTP/1.1\r\nHost: here\r\n\r\n", 501},
        Refused{"Coding", post("Transfer-Encoding: gzip, chunked\r\n"), 501},
        Refused{"Http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        Refused{"Http12", "GET / HTTP/1.2\r\nHost: here\r\n\r\n", 505}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(HostileTest, ManyHeadersAreNotReadWithoutEnd) {
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: here\r\n");
  std::string lines;
  for (int i = 0; i < 4000; ++i) lines += "X-A: b\r\n";
  client.send(lines);
  EXPECT_EQ(client.read_answer().status, 431);
}

TEST_F(HostileTest, ChunksOfOneByteAreNotReadWithoutEnd) {
  start();
  auto client = connect();
  client.send(post("Transfer-Encoding: chunked\r\n"));
  std::string chunks;
  const std::string extension(1000, 'e');
  for (int i = 0; i < 200; ++i) chunks += "1;" + extension + "\r\nx\r\n";
  client.send(chunks);
  EXPECT_EQ(client.read_answer().status, 413);
}

TEST_F(HostileTest, ARequestThatTricklesInIsGivenUp) {
  limits_.read_timeout = std::chrono::milliseconds(2000);  // the first request comes in time
  start();
  auto client = connect();
  EXPECT_EQ(client.get("/say/a").body, "a");
  std::thread trickle([&] {
    while (client.send("G"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  EXPECT_EQ(client.read_answer().status, 408);
  client.read_to_end();
  trickle.join();
  EXPECT_EQ(server_->refusals().timeout, 1);
}

TEST_F(HostileTest, ASilentConnectionIsClosedAndAnIdleOneToo) {
  limits_.read_timeout = std::chrono::milliseconds(2000);
  limits_.idle_timeout = std::chrono::milliseconds(50);
  start();
  auto silent = connect();
  EXPECT_EQ(silent.read_to_end(), "");
  auto idle = connect();
  EXPECT_EQ(idle.get("/say/a").body, "a");
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(server_->refusals().timeout, 1);  // to be idle is nothing wrong
}

TEST_F(HostileTest, AnAnswerThatIsNotTakenIsDropped) {
  limits_.write_timeout = std::chrono::milliseconds(150);
  limits_.slowest_bytes_per_second = 1 << 30;
  start();
  auto client = connect(4096);
  client.send(get("/large/30000000"));
  EXPECT_TRUE(eventually([&] { return server_->refusals().timeout == 1; }));
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(HostileTest, AnAnswerWithoutRoomInTheBudgetIsRefused) {
  budget_ = std::make_shared<ByteBudget>(1 << 20);
  start();
  auto client = connect();
  const auto answer = client.get("/large/900000");
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_THAT(answer.body, HasSubstr("\"code\": \"BUSY\""));
  EXPECT_EQ(client.get("/large/400000").body.size(), 400000u);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(HostileTest, ABodyWithoutRoomInTheBudgetIsRefused) {
  budget_ = std::make_shared<ByteBudget>(200 << 10);
  start();
  auto client = connect();
  client.send(post("Content-Length: 200000\r\n"));
  client.send(std::string(199'999, 'x'));
  EXPECT_EQ(client.read_answer().status, 429);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(HostileTest, AFloodOfOneAddressGivesWayToAnother) {
  limits_.max_connections = 4;
  start();
  std::vector<RawHttp> flood;
  for (int i = 0; i < 4; ++i) {
    flood.push_back(connect(0, "127.0.0.2"));
    EXPECT_EQ(flood.back().get("/say/a").status, 200);
  }
  EXPECT_EQ(connect(0, "127.0.0.2").read_to_end(), "");  // no more from there
  auto other = connect(0, "127.0.0.3");
  EXPECT_EQ(other.get("/say/b").body, "b");
  EXPECT_EQ(flood.front().get("/say/c").body, "c");
  EXPECT_EQ(flood.back().read_to_end(), "");
}

TEST_F(HostileTest, AFloodOfAUserWithManyAddressesLeavesAQuarter) {
  limits_.max_connections = 20;
  start();
  // No address of hers has more than the victim's.
  std::vector<RawHttp> flood;
  for (int address = 2; address < 10; ++address) {
    for (int i = 0; i < 2; ++i) {
      flood.push_back(connect(0, ("127.0.0." + std::to_string(address)).c_str()));
      EXPECT_EQ(flood.back().get("/say/e", "X-User: eve\r\n").status, 200);
    }
  }
  std::vector<RawHttp> victims;
  for (int i = 0; i < 5; ++i) {
    victims.push_back(connect());
    EXPECT_EQ(victims.back().get("/say/v").body, "v");
  }
  // One of hers, the newest that the server has seen idle.
  const auto gone = [&] {
    return std::count_if(flood.begin(), flood.end(), [](RawHttp& one) { return one.has_ended(); });
  };
  ASSERT_TRUE(eventually([&] { return gone() > 0; }));
  EXPECT_EQ(gone(), 1);
  EXPECT_EQ(connect().read_to_end(), "");     // she has three quarters now, and keeps them
  EXPECT_EQ(flood.front().get("/say/e").body, "e");
}

TEST_F(HostileTest, HalfRequestsOfAUserWithManyAddressesLeaveAQuarter) {
  budget_ = std::make_shared<ByteBudget>(4 << 20);
  start();
  const std::string half = "POST /say/e HTTP/1.1\r\nHost: here\r\nContent-Length: 200000\r\n\r\n" +
                           std::string(100'000, 'e');
  std::vector<RawHttp> flood;
  for (int address = 2; address < 10; ++address) {
    const std::string source = "127.0.0." + std::to_string(address);
    const auto refused_before = server_->refusals().over_budget.load();
    while (server_->refusals().over_budget == refused_before) {
      const std::size_t used_before = budget_->used();
      flood.push_back(connect(0, source.c_str()));
      ASSERT_EQ(flood.back().get("/say/e", "X-User: eve\r\n").status, 200);
      flood.back().send(half);
      ASSERT_TRUE(eventually([&] {
        return budget_->used() >= used_before + 100'000 ||
               server_->refusals().over_budget > refused_before;
      }));
    }
  }
  EXPECT_GT(budget_->used(), budget_->limit() / 2);
  EXPECT_LE(budget_->used(), budget_->limit() / 4 * 3);
  EXPECT_EQ(connect().get("/large/200000").body.size(), 200'000u);
}

// Within what a client that has only ended its side may wait.
TEST_F(HostileTest, AClientThatIsGoneCostsNothing) {
  start();
  {
    std::vector<RawHttp> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(connect());
      clients.back().send(get("/park/x"));
    }
    ASSERT_TRUE(eventually([&] { return site_->parked() == 20; }));
  }
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
  for (int i = 0; i < 20; ++i) site_->release("x");
  EXPECT_EQ(connect().get("/say/fine").body, "fine");
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

}  // namespace
}  // namespace weir::web
