// Clients that do not behave: each is dropped and counted, while another client's calls go on over
// its connection.
#include "rpc_fixture.h"

namespace weir {
namespace {

std::string header(uint32_t length) {
  std::string bytes(4, '\0');
  write_big_endian_32(length, bytes.data());
  return bytes;
}

class BadInputTest : public RpcTest {
 protected:
  // Sends `bytes`, expects to be closed without a reply and `counter` to grow, calls of another
  // going on meanwhile.
  void expect_dropped(const std::string& bytes, const std::atomic<int64_t> Refusals::*counter) {
    auto witness = connect();
    EXPECT_EQ(echo(witness, "witness", 1), 1);
    const int64_t before = server_->refusals().*counter;
    const int64_t total_before = server_->refusals().total();
    RawClient client(server_->port());
    client.send(bytes);
    int64_t sequence = 2;
    EXPECT_TRUE(eventually([&] {
      EXPECT_EQ(echo(witness, "witness", sequence), sequence);
      ++sequence;
      return server_->refusals().*counter == before + 1;
    }));
    EXPECT_EQ(client.read_to_end(), "");
    EXPECT_EQ(echo(witness, "witness", sequence), sequence);
    EXPECT_EQ(server_->refusals().total(), total_before + 1);
    EXPECT_TRUE(eventually([&] { return server_->connections() == 1; }));
    EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
  }
};

TEST_F(BadInputTest, GarbageIsMalformed) {
  start();
  expect_dropped(header(100) + std::string(100, '\xff'), &Refusals::malformed);
  expect_dropped(header(100) + std::string(100, '\0'), &Refusals::malformed);
  expect_dropped(header(0), &Refusals::malformed);
  expect_dropped(header(3) + "abc", &Refusals::malformed);
}

TEST_F(BadInputTest, HttpRequestIsMalformed) {
  start();
  expect_dropped("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", &Refusals::malformed);
}

TEST_F(BadInputTest, NegativeLengthIsMalformed) {
  start();
  expect_dropped("\xff\xff\xff\xff", &Refusals::malformed);
  expect_dropped(beat_frame("tt1", 1).substr(4), &Refusals::malformed);
}

TEST_F(BadInputTest, OversizeFrameIsRefusedByItsHeader) {
  start();
  expect_dropped(header(limits_.max_frame_bytes + 1), &Refusals::oversize);
  expect_dropped(header(INT32_MAX), &Refusals::oversize);
}

TEST_F(BadInputTest, CompactProtocolIsMalformed) {
  start();
  expect_dropped(header(20) + "\x82\x21\x01\x09heartbeat" + std::string(7, '\0'),
                 &Refusals::malformed);
}

TEST_F(BadInputTest, ReplyInsteadOfACallIsMalformed) {
  start();
  std::string frame = beat_frame("tt1", 1);
  frame[7] = 2;  // the type of the message
  expect_dropped(frame, &Refusals::malformed);
}

TEST_F(BadInputTest, CutOffArgumentsAreMalformed) {
  start();
  const std::string frame = beat_frame("tt1", 1);
  const std::string cut = frame.substr(4, frame.size() - 10);
  expect_dropped(header(static_cast<uint32_t>(cut.size())) + cut, &Refusals::malformed);
}

TEST_F(BadInputTest, NameLongerThanTheFrameIsMalformed) {
  start();
  std::string frame = beat_frame("tt1", 1);
  write_big_endian_32(1 << 20, frame.data() + 8);
  expect_dropped(frame, &Refusals::malformed);
  write_big_endian_32(0xfffffff0, frame.data() + 8);
  expect_dropped(frame, &Refusals::malformed);
}

TEST_F(BadInputTest, ListThatClaimsMoreThanItsFrameHoldsIsMalformed) {
  start();
  std::string frame = beat_frame("tt1", 1);
  // Field 4, the attempts: a list of structs, empty.
  const std::string list("\x0f\x00\x04\x0c\x00\x00\x00\x00", 8);
  const size_t at = frame.find(list);
  ASSERT_NE(at, std::string::npos);
  write_big_endian_32(limits_.max_frame_bytes - 1, frame.data() + at + 4);
  expect_dropped(frame, &Refusals::malformed);
}

TEST_F(BadInputTest, UnknownMethodIsAnsweredAndItsBodyChecked) {
  start();
  std::string frame = beat_frame("tt1", 1);
  frame[frame.find("heartbeat")] = 'X';
  {
    RawClient client(server_->port());
    client.send(frame);
    ASSERT_TRUE(client.read_more());
    EXPECT_THAT(client.received(), testing::HasSubstr("Invalid method name: 'Xeartbeat'"));
  }
  frame[frame.find("Xeartbeat") + 9 + 4] = '\x55';  // no such type of field
  expect_dropped(frame, &Refusals::malformed);
}

TEST_F(BadInputTest, HalfOpenConnectionsTimeOut) {
  start();
  const std::string frame = beat_frame("tt1", 1);
  expect_dropped("", &Refusals::timeout);
  expect_dropped(frame.substr(0, 2), &Refusals::timeout);
  expect_dropped(frame.substr(0, 4), &Refusals::timeout);
  expect_dropped(frame.substr(0, frame.size() / 2), &Refusals::timeout);
}

TEST_F(BadInputTest, TrickleDoesNotExtendTheTimeOfAFrame) {
  start();
  RawClient client(server_->port());
  // A good call, of which a byte comes now and then: only its length makes it late.
  const std::string frame = beat_frame(std::string(100'000, 'x'), 1);
  client.send(frame.substr(0, 100));
  for (std::size_t sent = 100; server_->refusals().total() == 0; ++sent) {
    ASSERT_LT(sent, frame.size());
    client.send(frame.substr(sent, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(server_->refusals().timeout, 1);
  EXPECT_EQ(server_->refusals().total(), 1);
}

TEST_F(BadInputTest, SlowFrameAfterAGoodOneTimesOut) {
  start();
  RawClient client(server_->port());
  const std::string frame = beat_frame("tt1", 1);
  client.send(frame + frame.substr(0, 10));
  EXPECT_EQ(client.read_reply(), 1);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server_->refusals().timeout, 1);
}

TEST_F(BadInputTest, IdleConnectionIsClosedButIsNoRefusal) {
  limits_.idle_timeout = std::chrono::milliseconds(50);
  start();
  RawClient client(server_->port());
  client.send(beat_frame("tt1", 1));
  EXPECT_EQ(client.read_reply(), 1);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(server_->refusals().total(), 0);
}

TEST_F(BadInputTest, WaitingForAReplyIsNotIdle) {
  limits_.idle_timeout = std::chrono::milliseconds(20);
  limits_.read_timeout = std::chrono::milliseconds(20);
  start();
  RawClient idle(server_->port());
  RawClient client(server_->port());
  client.send(beat_frame("park", 1));
  EXPECT_EQ(idle.read_to_end(), "");  // that one was dropped meanwhile
  ASSERT_TRUE(eventually([&] { return tracker_->parked() == 1; }));
  tracker_->release(1);
  EXPECT_EQ(client.read_reply(), 1);
}

TEST_F(BadInputTest, ConnectionsBeyondTheLimitAreClosed) {
  limits_.max_connections = 2;
  start();
  auto first = connect();
  auto second = connect();
  EXPECT_EQ(echo(first, "tt1", 1), 1);
  EXPECT_EQ(echo(second, "tt2", 2), 2);
  RawClient third(server_->port());
  EXPECT_EQ(third.read_to_end(), "");
  EXPECT_EQ(server_->refusals().too_many_connections, 1);
  EXPECT_EQ(echo(first, "tt1", 3), 3);
  first.connection().close();
  ASSERT_TRUE(eventually([&] { return server_->connections() == 1; }));
  auto fourth = connect();
  EXPECT_EQ(echo(fourth, "tt4", 4), 4);
}

TEST_F(BadInputTest, FramesOverTheBudgetAreRefused) {
  budget_ = std::make_shared<ByteBudget>(200'000);
  limits_.read_timeout = std::chrono::milliseconds(5'000);
  start();
  auto witness = connect();
  RawClient hoarder(server_->port());
  hoarder.send(header(200'000) + std::string("\x80\x01\x00\x01", 4) + std::string(60'000, '\0'));
  ASSERT_TRUE(eventually([&] { return budget_->used() >= 60'000; }));
  EXPECT_EQ(echo(witness, "witness", 1), 1);
  RawClient second(server_->port());
  second.send(header(200'000) + std::string("\x80\x01\x00\x01", 4) + std::string(60'000, '\0'));
  EXPECT_EQ(second.read_to_end(), "");
  EXPECT_GE(server_->refusals().over_budget, 1);
  EXPECT_EQ(echo(witness, "witness", 2), 2);
  EXPECT_LE(budget_->used(), budget_->limit());
}

TEST_F(BadInputTest, ClientThatNeverReadsIsCutAndStallsNobody) {
  limits_.max_unsent_bytes = 1 << 20;
  limits_.max_in_flight = 1000;
  start();
  auto witness = connect();
  RawClient slow(server_->port(), 4096);
  std::string calls;
  for (int i = 0; i < 500; ++i) calls += beat_frame("large", 200'000);
  std::thread sender([&] { slow.send(calls); });
  int64_t sequence = 0;
  size_t most_used = 0;
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(echo(witness, "witness", sequence), sequence);
    ++sequence;
    most_used = std::max(most_used, budget_->used());
    return server_->refusals().timeout == 1;
  }));
  sender.join();
  // 500 replies of 200 kB were asked for: reading stopped long before they were all in memory.
  EXPECT_LT(most_used, size_t{16} << 20);
  EXPECT_EQ(echo(witness, "witness", sequence), sequence);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

TEST_F(BadInputTest, FloodOfGarbageIsCountedNotLogged) {
  start();
  for (int i = 0; i < 200; ++i) RawClient(server_->port()).send("\xff\xff\xff\xff");
  EXPECT_TRUE(eventually([&] { return server_->refusals().malformed == 200; }));
  auto witness = connect();
  EXPECT_EQ(echo(witness, "witness", 1), 1);
}

}  // namespace
}  // namespace weir
