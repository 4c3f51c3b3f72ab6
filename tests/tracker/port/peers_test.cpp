// Who is who on a port.
#include "tracker/port/peers.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Speakers, AreTheLatestOfAConnection) {
  Speakers speakers;
  for (std::size_t i = 0; i <= Speakers::kMost; ++i) speakers.note("tt" + std::to_string(i));
  for (int i = 0; i < 2; ++i) speakers.note("tt1");
  const auto names = speakers.names();
  ASSERT_EQ(names.size(), Speakers::kMost);
  EXPECT_EQ(names.front(), "tt2");
  EXPECT_EQ(names.back(), "tt1");
}

TEST(CallingPeer, IsKnownToACallsHandler) {
  EXPECT_EQ(calling_peer(), "");
  const Peer outer("10.0.0.1"), inner("10.0.0.2");
  const auto said = std::make_shared<Speakers>(), silent = std::make_shared<Speakers>();
  said->note("tt1");
  const CallingPeerScope one(outer, said);
  {
    const CallingPeerScope two(inner, silent);
    EXPECT_EQ(calling_peer(), "10.0.0.2");
    EXPECT_TRUE(calling_speakers()->names().empty());
  }
  EXPECT_EQ(calling_peer(), "10.0.0.1");
  EXPECT_EQ(calling_speakers()->names(), std::vector<std::string>{"tt1"});
}

TEST(PeerName, CountsNetworksOfIpv6) {
  const auto name = [](const char* text) { return peer_name(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(name("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(name("::ffff:127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(name("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(name("2001:db8:1:2:ffff::1"), name("2001:db8:1:2::2"));
  EXPECT_NE(name("2001:db8:1:2::1"), name("2001:db8:1:3::1"));
}

TEST(PeerTable, ForgetsPeersThatHaveLeft) {
  PeerTable table;
  const auto address = [](unsigned n) {
    return peer_name(boost::asio::ip::address_v4(0x0a000000u + n));
  };
  const auto stays = table.find_or_add(address(0));
  stays->connections = 1;
  for (unsigned n = 1; n < 1000; ++n) table.find_or_add(address(n))->connections = n;
  EXPECT_EQ(table.find_or_add(address(0)), stays);
  EXPECT_EQ(table.largest(), stays);
  EXPECT_LE(table.size(), 64u);
}

}  // namespace
}  // namespace weir
