#include "bench/wire/web_readers.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace weir::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr std::array<const char*, 4> kAsked = {
    "/api/v1/cluster", "/api/v1/queues", "/api/v1/jobs?limit=50", "/api/v1/trackers?limit=100"};
constexpr std::chrono::milliseconds kPause{1'000};
constexpr std::size_t kReadBytes = 256 << 10;

// Of all clients: they run on one thread, and nobody keeps what was read.
std::vector<char>& read_buffer() {
  thread_local std::vector<char> buffer(kReadBytes);
  return buffer;
}
}  // namespace

class WebReaders::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(asio::io_context& io, std::uint16_t port, Counts& counts, bool stream, std::uint32_t turn)
      : socket_(io),
        timer_(io),
        server_(asio::ip::address_v4::loopback(), port),
        counts_(counts),
        stream_(stream),
        turn_(turn) {}

  void begin_after(std::chrono::milliseconds pause) {
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (error) return;
      if (self->socket_.is_open()) return self->ask();
      self->socket_.async_connect(self->server_, [self](error_code refused) {
        if (refused) return self->cut_off();
        self->ask();
      });
    });
  }

 private:
  void ask() {
    const std::string target = stream_ ? "/api/v1/events" : kAsked[turn_++ % kAsked.size()];
    // As every browser asks.
    request_ = fmt::format("GET {} HTTP/1.1\r\nHost: {}:{}\r\nAccept-Encoding: gzip\r\n\r\n",
                           target, server_.address().to_string(), server_.port());
    head_.clear();
    asio::async_write(socket_, asio::buffer(request_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return self->cut_off();
                        self->read();
                      });
  }

  // Readable first: what was read is of no use after the handler, so one buffer serves all.
  void read() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code error) {
      if (error) return self->cut_off();
      const std::size_t count = self->socket_.read_some(asio::buffer(read_buffer()), error);
      if (error) return self->cut_off();
      self->counts_.bytes += count;
      self->take(std::string_view(read_buffer().data(), count));
    });
  }

  void take(std::string_view text) {
    if (stream_ && !head_.empty()) {
      ++counts_.answers;
      return read();
    }
    if (head_.find("\r\n\r\n") == std::string::npos) {
      const std::size_t before = head_.size();
      head_ += text;
      const std::size_t end = head_.find("\r\n\r\n");
      if (end == std::string::npos) return read();
      if (!head_.starts_with("HTTP/1.1 200")) return cut_off();
      const std::size_t length = head_.find("Content-Length: ");
      left_ = end + 4 - before;
      if (length < end) left_ += std::strtoull(head_.c_str() + length + 16, nullptr, 10);
      head_.resize(end + 4);
    }
    if (stream_) return read();
    left_ -= std::min<std::uint64_t>(left_, text.size());
    if (left_ > 0) return read();
    ++counts_.answers;
    begin_after(kPause);
  }

  void cut_off() {
    ++counts_.refused;
    error_code ignored;
    socket_.close(ignored);
    begin_after(kPause);
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  const tcp::endpoint server_;
  Counts& counts_;
  const bool stream_;
  std::uint32_t turn_;
  std::string request_;
  std::string head_;        // of the answer; of a stream it says that it has begun
  std::uint64_t left_ = 0;  // of the answer, in bytes
};

WebReaders::WebReaders(std::uint16_t port, std::uint32_t streams, std::uint32_t readers) {
  for (std::uint32_t i = 0; i < streams + readers; ++i) {
    std::make_shared<Client>(io_, port, counts_, i < streams, i)
        ->begin_after(std::chrono::milliseconds(i * 7 % kPause.count()));
  }
  thread_ = std::jthread([this] { io_.run(); });
}

WebReaders::~WebReaders() {
  io_.stop();
}

}  // namespace weir::bench
