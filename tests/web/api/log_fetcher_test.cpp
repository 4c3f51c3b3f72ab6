// Logs from a tracker that never answers.
#include "web/api/log_fetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>

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

}  // namespace
}  // namespace weir::web
