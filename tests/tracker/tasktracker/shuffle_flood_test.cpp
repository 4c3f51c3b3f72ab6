// Floods of the shuffle server beside a reducer, and peers that give or take bytes drop by drop.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/shuffle_client.h"
#include "tracker/tasktracker/shuffle_server.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

constexpr const char* kVictim = "127.0.0.1";
constexpr const char* kAttacker = "127.0.0.2";
const std::string kAsk = "WEIR1 MAP attempt_0007_m_000000_0 0\n";
const std::string kAskLarge = "WEIR1 MAP attempt_0007_m_000000_0 1\n";

sockaddr_in socket_address(const char* text, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET, text, &address.sin_addr), 1);
  return address;
}

class ShuffleFlood : public testing::Test {
 protected:
  void start(std::size_t connections) {
    ShuffleServerOptions options;
    options.dirs.root = dir_.path();
    options.max_connections = connections;
    options.idle_ms = idle_ms_;
    options.slowest_bytes_per_second = slowest_;
    server_ = std::make_unique<ShuffleServer>(options);
    auto port = server_->start();
    ASSERT_TRUE(port.ok()) << port.error().message;
    port_ = *port;
    // Of one map: a small partition, and one that no socket's buffer takes whole.
    const AttemptKey map{TaskKey{JobId(std::size_t{7}), TaskKind::kMap, 0}, 0};
    const std::string output = options.dirs.output(map);
    ASSERT_TRUE(make_directories(output).ok());
    auto writer = RunWriter::create(output + "/file.out", 2, true);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->append(0, "small\n").ok());
    const std::string line(1 << 20, 'x');
    for (int i = 0; i < kLargeMib; ++i) ASSERT_TRUE(writer->append(1, line + "\n").ok());
    auto run = writer->finish();
    ASSERT_TRUE(run.ok());
    ASSERT_TRUE(write_index(*run, output + "/file.idx").ok());
  }
  UniqueFd connect(const char* source, const std::string& request = "") {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{10, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const auto from = socket_address(source, 0), to = socket_address(kVictim, port_);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from), 0);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    (void)!::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    return fd;
  }
  // The beginning of what comes; empty if the connection ends, or nothing comes.
  static std::string hear(const UniqueFd& fd) {
    char bytes[4];
    const ssize_t n = ::recv(fd.get(), bytes, 2, MSG_WAITALL);
    return std::string(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  std::vector<UniqueFd> flood(std::size_t count, const char* source, const std::string& request) {
    std::vector<UniqueFd> fds;
    for (std::size_t i = 0; i < count; ++i) {
      fds.push_back(connect(source, request));
      if (!request.empty()) {
        EXPECT_EQ(hear(fds.back()), "OK") << i;
      }
    }
    return fds;
  }

  static constexpr int kLargeMib = 32;
  std::int64_t idle_ms_ = 60'000;
  std::int64_t slowest_ = kSlowestBytesPerSecond;
  TempDir dir_;
  std::unique_ptr<ShuffleServer> server_;
  std::uint16_t port_ = 0;
};

TEST_F(ShuffleFlood, IdleConnectionsGiveWayToWhoeverComes) {
  start(8);
  const auto idle = flood(20, kAttacker, "");
  EXPECT_EQ(hear(connect(kVictim, kAsk)), "OK");
  EXPECT_EQ(hear(connect(kAttacker, kAsk)), "OK");  // also from there: who waits loses nothing
  EXPECT_EQ(hear(idle.front()), "");
  EXPECT_GE(server_->crowded_out(), 13);
}

TEST_F(ShuffleFlood, UnreadAnswersOfOneAddressGiveWayToAnother) {
  start(8);
  const auto unread = flood(8, kAttacker, kAskLarge);
  std::vector<UniqueFd> victims;
  for (int i = 0; i < 4; ++i) {
    victims.push_back(connect(kVictim, kAskLarge));
    EXPECT_EQ(hear(victims.back()), "OK") << i;
  }
  EXPECT_EQ(hear(connect(kVictim, kAsk)), "");  // half of it is theirs
  EXPECT_EQ(hear(connect(kAttacker, kAsk)), "");
}

TEST_F(ShuffleFlood, WhoTakesBytesTooSlowlyIsGivenUp) {
  idle_ms_ = 500;
  slowest_ = 64 << 20;
  start(8);
  const UniqueFd slow = connect(kAttacker, kAskLarge);
  // Some bytes in time for each step, but never all of them.
  std::string bytes(64 << 10, 0);
  std::size_t taken = 0;
  for (int i = 0; i < 3000; ++i) {
    const ssize_t n = ::recv(slow.get(), bytes.data(), bytes.size(), 0);
    if (n <= 0) break;
    taken += static_cast<std::size_t>(n);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LT(taken, std::size_t{kLargeMib} << 20);
}

// A server whose answers come a byte at a time.
class Dripping {
 public:
  explicit Dripping(std::string answer) : answer_(std::move(answer)) {
    auto address = socket_address(kVictim, 0);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), where, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    EXPECT_EQ(::getsockname(listener_.get(), where, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Dripping() {
    stopping_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  void serve() {
    const UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd.valid()) return;
    for (std::size_t i = 0; i < answer_.size() && !stopping_; ++i) {
      if (::send(fd.get(), &answer_[i], 1, MSG_NOSIGNAL) < 0) return;
      if (i >= fast_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const std::string answer_;
  const std::size_t fast_ = answer_.find('\n') + 1;  // without a newline: nothing
  UniqueFd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

ShuffleRequest small_request() {
  return *parse_shuffle_request(kAsk.substr(0, kAsk.size() - 1));
}

// Far more bytes than would come within the test's time, each within the time of a wait.
TEST(ShuffleDrip, AnAnswerThatDripsIsGivenUp) {
  Dripping server("OK " + std::string(400, '0'));
  auto connection = ShuffleConnection::open(kVictim, server.port(), 300);
  ASSERT_TRUE(connection.ok());
  const auto answer = connection->ask(small_request());
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("too slow, given up"), std::string::npos)
      << answer.error().message;
}

TEST(ShuffleDrip, ABodyThatDripsIsGivenUp) {
  Dripping server("OK 5000 0 1\n" + std::string(5000, 'x'));
  auto connection = ShuffleConnection::open(kVictim, server.port(), 300);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection->ask(small_request()).ok());
  std::string body(5000, 0);
  const Status read = connection->read_body(body);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("too slow, given up"), std::string::npos)
      << read.error().message;
}

TEST(ShuffleDrip, TimeGrowsWithTheBytes) {
  EXPECT_EQ(transfer_ms(0, 20'000), 20'000);
  EXPECT_EQ(transfer_ms(64 << 20, 20'000), 20'000 + 1024 * 1000);
}

}  // namespace
}  // namespace weir::tasktracker
