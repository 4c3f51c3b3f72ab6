// Logs from a tracker that never answers.
#include "web/api/log_fetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

namespace weir::web {
namespace {

TEST(LogFetcherTest, EndsWhenNobodyWantsItAnyMore) {
  boost::asio::io_context io;
  using boost::asio::ip::tcp;
  tcp::acceptor silent(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  const auto fetcher = std::make_shared<LogFetcher>(io);
  LogWish wish;
  wish.host = "127.0.0.1";
  wish.port = silent.local_endpoint().port();
  wish.log = "stderr";
  wish.most_bytes = 100;
  const auto begun = std::chrono::steady_clock::now();
  int looks = 0, ended = 0;
  fetcher->fetch(
      wish, [&] { return ++looks < 2; },
      [&](const Result<LogBytes>& bytes) { ended += bytes.ok() ? 0 : 1; });
  io.run();
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(looks, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, LogFetcher::kPatience);
}

// Behind as many bytes as there can be, a few more.
TEST(LogFetcherTest, ATrackerThatLiesAboutWhereALogIsIsRefused) {
  boost::asio::io_context io;
  using boost::asio::ip::tcp;
  tcp::acceptor tracker(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  const auto fetcher = std::make_shared<LogFetcher>(io);
  LogWish wish;
  wish.host = "127.0.0.1";
  wish.port = tracker.local_endpoint().port();
  wish.log = "stderr";
  wish.most_bytes = 100;
  tcp::socket peer(io);
  const std::string lie = "OK 4 0 9223372036854775807\nlies";
  tracker.async_accept(peer, [&](const boost::system::error_code&) {
    boost::asio::write(peer, boost::asio::buffer(lie));
  });
  std::string told;
  fetcher->fetch(
      wish, [] { return true; },
      [&](const Result<LogBytes>& bytes) { told = bytes.ok() ? "bytes" : bytes.error().message; });
  io.run();
  EXPECT_EQ(told, "no stderr from the tracker that keeps it: more bytes than any has");
}

}  // namespace
}  // namespace weir::web
