// Floods of one address beside a client of another, and how an address's share is reckoned.
#include "rpc_fixture.h"
#include "tracker/port/peers.h"

namespace weir {
namespace {

constexpr const char* kAttacker = "127.0.0.2";
constexpr const char* kOther = "127.0.0.3";

std::string half_frame(uint32_t length, size_t sent) {
  std::string bytes(4, '\0');
  write_big_endian_32(length, bytes.data());
  return bytes + std::string("\x80\x01\x00\x01", 4) + std::string(sent, '\0');
}

class FloodTest : public RpcTest {
 protected:
  FloodTest() {
    limits_.read_timeout = std::chrono::milliseconds(60'000);
    limits_.write_timeout = std::chrono::milliseconds(60'000);
  }
  // Connections that have made one call and then do nothing.
  std::vector<RawClient> idlers(size_t count, const char* source, const char* name = "idle") {
    std::vector<RawClient> made;
    for (size_t i = 0; i < count; ++i) {
      made.emplace_back(server_->port(), 0, source);
      made.back().send(beat_frame(name, 7));
      EXPECT_EQ(made.back().read_reply(), 7) << source << " " << i;
    }
    return made;
  }
  bool answers(RawClient& client) {
    client.send(beat_frame("victim", 5));
    return client.read_reply() == 5;
  }
};

TEST_F(FloodTest, IdleConnectionsOfOneAddressGiveWayToAnother) {
  limits_.max_connections = 20;
  start();
  auto flood = idlers(20, kAttacker);
  RawClient more(server_->port(), 0, kAttacker);
  EXPECT_EQ(more.read_to_end(), "");  // it has most itself
  std::vector<RawClient> victims;
  for (int i = 0; i < 10; ++i) {
    victims.emplace_back(server_->port());
    ASSERT_TRUE(answers(victims.back())) << i;
  }
  // Both have half of the port now: nobody gives way to anybody.
  EXPECT_EQ(server_->refusals().too_many_connections, 11);
  RawClient eleventh(server_->port());
  EXPECT_EQ(eleventh.read_to_end(), "");
  RawClient third_party(server_->port(), 0, kOther);
  EXPECT_TRUE(answers(third_party));
  // The flood's oldest were there first, and stay.
  EXPECT_TRUE(answers(flood.front()));
  EXPECT_EQ(flood.back().read_to_end(), "");
  EXPECT_TRUE(eventually([&] { return server_->connections() == 20; }));
}

TEST_F(FloodTest, AConnectionWithACallUnderWayStaysWhileAnIdleOneCanGo) {
  limits_.max_connections = 3;
  start();
  auto idle = idlers(2, kAttacker);
  RawClient busy(server_->port(), 0, kAttacker);
  busy.send(beat_frame("park", 3));
  ASSERT_TRUE(eventually([&] { return tracker_->parked() == 1; }));
  RawClient victim(server_->port());
  ASSERT_TRUE(answers(victim));
  tracker_->release(3);
  EXPECT_EQ(busy.read_reply(), 3);
  EXPECT_EQ(idle.back().read_to_end(), "");
}

TEST_F(FloodTest, HalfFramesOfOneAddressLeaveRoomForAnother) {
  budget_ = std::make_shared<ByteBudget>(4 << 20);
  start();
  std::vector<RawClient> flood;
  for (int i = 0; i < 40; ++i) {
    flood.emplace_back(server_->port(), 0, kAttacker);
    flood.back().send(half_frame(250'000, 200'000));
  }
  ASSERT_TRUE(eventually([&] { return server_->refusals().over_budget >= 20; }));
  EXPECT_LE(budget_->used(), budget_->limit() / 2);
  // Others have what they ask for, and more than a little.
  RawClient victim(server_->port());
  const std::string call = beat_frame(std::string(200'000, 'v'), 9);
  victim.send(call.substr(0, 100'000));
  ASSERT_TRUE(eventually([&] { return budget_->used() > 0; }));
  victim.send(call.substr(100'000));
  EXPECT_EQ(victim.read_reply(), 9);
}

TEST_F(FloodTest, UnreadAnswersOfOneAddressLeaveRoomForAnother) {
  budget_ = std::make_shared<ByteBudget>(4 << 20);
  limits_.max_in_flight = 1000;
  start();
  std::vector<RawClient> flood;
  for (int i = 0; i < 10; ++i) {
    flood.emplace_back(server_->port(), 4096, kAttacker);
    std::string calls;
    for (int n = 0; n < 20; ++n) calls += beat_frame("large", 200'000);
    flood.back().send(calls);
  }
  size_t most_used = 0;
  ASSERT_TRUE(eventually([&] {
    most_used = std::max(most_used, budget_->used());
    return server_->refusals().over_budget >= 3;
  }));
  EXPECT_LE(most_used, budget_->limit() / 2);
  RawClient victim(server_->port());
  victim.send(beat_frame("large", 200'000));
  EXPECT_EQ(victim.read_reply(), 200'000);
}

TEST_F(FloodTest, UnansweredCallsOfOneAddressLeaveRoomForAnother) {
  budget_ = std::make_shared<ByteBudget>(100 << 10);
  start();
  std::vector<RawClient> flood;
  for (int64_t i = 0; i < 50; ++i) {
    flood.emplace_back(server_->port(), 0, kAttacker);
    flood.back().send(beat_frame("park", i));
  }
  ASSERT_TRUE(
      eventually([&] { return server_->refusals().over_budget + tracker_->parked() == 50; }));
  EXPECT_LE(tracker_->parked(), 25u);  // each is some 2 KiB
  EXPECT_GE(tracker_->parked(), 15u);
  RawClient victim(server_->port());
  EXPECT_TRUE(answers(victim));
}

// A tenant's tasks run on all trackers, and so have all their addresses.
TEST_F(FloodTest, UnansweredCallsOfAUserWithManyAddressesLeaveAQuarter) {
  budget_ = std::make_shared<ByteBudget>(4 << 20);
  start();
  const std::string large = "park@eve@" + std::string(100'000, 'e');
  std::vector<RawClient> flood;
  std::int64_t sequence = 0;
  for (int address = 2; address < 10; ++address) {
    const std::string source = "127.0.0." + std::to_string(address);
    const auto refused_before = server_->refusals().over_budget.load();
    while (server_->refusals().over_budget == refused_before) {
      const size_t parked_before = tracker_->parked();
      flood.emplace_back(server_->port(), 0, source.c_str());
      // Whose connection it is says the first call; the second is refused if he has too much.
      flood.back().send(beat_frame("park@eve", sequence) + beat_frame(large, sequence + 1));
      sequence += 2;
      ASSERT_TRUE(eventually([&] {
        return tracker_->parked() == parked_before + 2 ||
               server_->refusals().over_budget > refused_before;
      }));
    }
  }
  EXPECT_GT(budget_->used(), budget_->limit() / 2);
  EXPECT_LE(budget_->used(), budget_->limit() / 4 * 3);
  RawClient victim(server_->port());
  victim.send(beat_frame("victim@bob@" + std::string(200'000, 'v'), 9));
  EXPECT_EQ(victim.read_reply(), 9);
}

TEST_F(FloodTest, IdleConnectionsOfAUserWithManyAddressesLeaveAQuarter) {
  limits_.max_connections = 20;
  start();
  // No address of his has more than the victim's.
  std::vector<RawClient> flood;
  for (int address = 2; address < 10; ++address) {
    for (auto& made : idlers(2, ("127.0.0." + std::to_string(address)).c_str(), "idle@eve")) {
      flood.push_back(std::move(made));
    }
  }
  std::vector<RawClient> victims = idlers(4, "127.0.0.1");
  const auto finds_room = [&] {
    victims.emplace_back(server_->port());
    victims.back().send(beat_frame("victim", 5));
    return victims.back().read_more();
  };
  // Who is another's now counts for that one: eve has three quarters, and keeps them.
  const auto say = [&](const char* name) {
    flood.front().send(beat_frame(name, 8));
    EXPECT_EQ(flood.front().read_reply(), 8);
  };
  say("idle@bob");
  EXPECT_FALSE(finds_room());
  say("idle@eve");
  EXPECT_TRUE(finds_room());
  EXPECT_EQ(flood.back().read_to_end(), "");  // her newest
  flood.pop_back();
  EXPECT_FALSE(finds_room());
  // Nor does what she has closed count.
  flood.pop_back();
  ASSERT_TRUE(eventually([&] { return server_->connections() == 19; }));
  EXPECT_TRUE(finds_room());
  EXPECT_FALSE(finds_room());
}

}  // namespace
}  // namespace weir
