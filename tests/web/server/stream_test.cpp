// Event streams: what is sent arrives, and a reader that is too slow costs nobody else anything.
#include "web/server/http_fixture.h"

namespace weir::web {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kGet = "GET /stream HTTP/1.1\r\nHost: here\r\n\r\n";

class StreamTest : public HttpTest {
 protected:
  std::shared_ptr<EventStream> open(RawHttp& client) {
    const std::size_t before = site_->streams().size();
    client.send(kGet);
    EXPECT_THAT(client.read_until("data: first\n\n"),
                HasSubstr("Content-Type: text/event-stream\r\n"));
    // Its first text may be here before the handler has gone on.
    const bool there = eventually([&] { return site_->streams().size() > before; });
    return there ? site_->streams().back() : nullptr;
  }
};

TEST_F(StreamTest, TextsArriveInTheirOrder) {
  start();
  auto client = connect();
  const auto stream = open(client);
  ASSERT_TRUE(stream);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(stream->send(FakeSite::shared("data: " + std::to_string(i) + "\n\n")));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(client.read_until("\n\n"), "data: " + std::to_string(i) + "\n\n");
  stream->finish(FakeSite::shared("event: bye\n\n"));
  EXPECT_THAT(client.read_to_end(), EndsWith("event: bye\n\n"));
  EXPECT_TRUE(eventually([&] { return server_->streams() == 0; }));
  EXPECT_FALSE(stream->send(FakeSite::shared("more")));
}

TEST_F(StreamTest, ASilentStreamHasAHeartbeat) {
  limits_.heartbeat = std::chrono::milliseconds(20);
  start();
  auto client = connect();
  open(client);
  EXPECT_EQ(client.read_until("\n\n"), ": heartbeat\n\n");
  EXPECT_EQ(client.read_until("\n\n"), ": heartbeat\n\n");
}

TEST_F(StreamTest, AReaderThatIsTooSlowHearsSoAndIsDropped) {
  limits_.max_unsent_bytes = 256 << 10;
  start();
  auto slow = connect(4096);
  const auto stream = open(slow);
  ASSERT_TRUE(stream);
  auto quick = connect();
  const auto other = open(quick);
  const auto text = FakeSite::shared("data: " + std::string(32 << 10, 'x') + "\n\n");
  int sent = 0;
  while (stream->send(text) && sent < 10'000) {
    ++sent;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(sent, 10'000);
  EXPECT_TRUE(stream->over());
  EXPECT_THAT(slow.read_to_end(), EndsWith("x\n\nevent: bye\ndata: too slow\n\n"));
  EXPECT_TRUE(other->send(text));
  EXPECT_EQ(quick.read_until("\n\n"), *text);
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
}

// More than the sockets' buffers take, at once: were it sent until the stream is too slow, a busy
// machine could find it so before they are full, and a last word that is taken ends otherwise.
TEST_F(StreamTest, AReaderThatNeverTakesAnythingIsClosed) {
  limits_.max_unsent_bytes = 24 << 20;
  limits_.write_timeout = std::chrono::milliseconds(150);
  start();
  auto slow = connect(4096);
  const auto stream = open(slow);
  ASSERT_TRUE(stream);
  const auto text = FakeSite::shared("data: " + std::string(1 << 20, 'x') + "\n\n");
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(stream->send(text));
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
  EXPECT_TRUE(eventually([&] { return budget_->used() == 0; }));
  EXPECT_EQ(server_->refusals().timeout, 1);
}

TEST_F(StreamTest, AReaderThatIsGoneIsForgotten) {
  start();
  std::shared_ptr<EventStream> stream;
  {
    auto client = connect();
    stream = open(client);
  }
  ASSERT_TRUE(stream);
  EXPECT_TRUE(eventually([&] { return stream->over(); }));
  EXPECT_EQ(server_->streams(), 0u);
}

TEST_F(StreamTest, AnAddressHasAsManyAsItLeavesForOthers) {
  limits_.max_streams = 4;
  start();
  std::vector<RawHttp> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(connect(0, "127.0.0.2"));
    EXPECT_TRUE(open(clients.back()));
  }
  auto third = connect(0, "127.0.0.2");
  third.send(kGet);
  EXPECT_EQ(third.read_answer().status, 429);
  auto other = connect(0, "127.0.0.3");
  EXPECT_TRUE(open(other));
}

TEST_F(StreamTest, TheEndOfTheServerEndsStreamsAndTheirFeederMayLiveOn) {
  start();
  auto client = connect();
  const auto stream = open(client);
  ASSERT_TRUE(stream);
  server_->stop();
  client.read_to_end();
  EXPECT_TRUE(eventually([&] { return stream->over(); }));
  EXPECT_FALSE(stream->send(FakeSite::shared("late")));
}

}  // namespace
}  // namespace weir::web
