// What the tests of this folder share: an HTTP server on a free port with short limits, a handler
// that does what the path says, and a raw socket for clients that misbehave.
#pragma once

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "web/server/server.h"

namespace weir::web {

// A client without manners. Waits at most 5 s for anything. `source`: the address it comes from,
// any of 127/8.
class RawHttp {
 public:
  explicit RawHttp(std::uint16_t port, int receive_buffer_bytes = 0,
                   const char* source = "127.0.0.1") {
    descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer_bytes > 0) {
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(int));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    EXPECT_EQ(::inet_pton(AF_INET, source, &address.sin_addr), 1);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  RawHttp(RawHttp&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~RawHttp() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(descriptor_, SHUT_WR); }
  // Reads what is there; false at the end of the connection.
  bool read_more() {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, 5000) <= 0) {
      ADD_FAILURE() << "nothing came for 5 s; before: " << input_;
      return false;
    }
    char buffer[65536];
    const ssize_t count = ::recv(descriptor_, buffer, sizeof(buffer), 0);
    if (count <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  std::string read_to_end() {
    while (read_more()) {
    }
    return std::exchange(input_, {});
  }
  // Until `text` has come; all up to its end.
  std::string read_until(const std::string& text) {
    std::size_t at;
    while ((at = input_.find(text)) == std::string::npos) {
      if (!read_more()) return std::exchange(input_, {});
    }
    std::string read = input_.substr(0, at + text.size());
    input_.erase(0, read.size());
    return read;
  }

  struct Answer {
    int status = 0;
    std::string head, body;
    std::string header(const std::string& name) const {
      const std::size_t at = head.find("\r\n" + name + ": ");
      if (at == std::string::npos) return "";
      const std::size_t begin = at + name.size() + 4;
      return head.substr(begin, head.find("\r\n", begin) - begin);
    }
  };
  // One answer; `head`: of a HEAD, which has no body.
  Answer read_answer(bool head = false) {
    Answer answer;
    answer.head = read_until("\r\n\r\n");
    if (answer.head.size() > 12) answer.status = std::atoi(answer.head.c_str() + 9);
    const std::string length = answer.header("Content-Length");
    if (length.empty() || head) return answer;
    const auto bytes = static_cast<std::size_t>(std::atoll(length.c_str()));
    while (input_.size() < bytes) {
      if (!read_more()) break;
    }
    answer.body = input_.substr(0, bytes);
    input_.erase(0, bytes);
    return answer;
  }
  Answer get(const std::string& path, const std::string& headers = "") {
    send("GET " + path + " HTTP/1.1\r\nHost: here\r\n" + headers + "\r\n");
    return read_answer();
  }

 private:
  int descriptor_ = -1;
  std::string input_;
};

// What a path has it do:
//   /say/TEXT   answers with TEXT and the body         /large/N    N bytes
//   /tag        with the ETag "7"                      /park/NAME  kept until release(NAME)
//   /later      answered by another thread             /lose       nobody answers
//   /throw      the handler throws                     /twice      answers twice
//   /stream     an event stream, kept in streams()
class FakeSite {
 public:
  void handle(const HttpRequest& request, HttpResponder responder) {
    const std::string first = request.path.empty() ? "" : request.path[0];
    const std::string second = request.path.size() > 1 ? request.path[1] : "";
    if (first == "later") {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([responder] { responder.answer(text("later")); });
    } else if (first == "park") {
      const std::lock_guard lock(mutex_);
      parked_.emplace(second, responder);
    } else if (first == "lose") {
      return;
    } else if (first == "throw") {
      throw std::runtime_error("the handler is broken");
    } else if (first == "twice") {
      responder.answer(text("once"));
      responder.answer(text("twice"));
    } else if (first == "tag") {
      HttpAnswer answer = text(std::string(5000, 'x'));
      answer.etag = "\"7\"";
      responder.answer(answer);
    } else if (first == "large") {
      responder.answer(text(std::string(static_cast<std::size_t>(std::stoll(second)), 'x')));
    } else if (first == "stream") {
      open_stream(responder);
    } else {
      responder.answer(text(second + request.body));
    }
  }
  void release(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = parked_.find(name);
    ASSERT_NE(found, parked_.end());
    found->second.answer(text(name));
    parked_.erase(found);
  }
  std::size_t parked() {
    const std::lock_guard lock(mutex_);
    return parked_.size();
  }
  std::vector<std::shared_ptr<EventStream>> streams() {
    const std::lock_guard lock(mutex_);
    return streams_;
  }
  void join() {
    for (auto& thread : threads_) thread.join();
  }

  static HttpAnswer text(std::string text) {
    return text_answer(200, "text/plain", std::move(text));
  }
  static SharedText shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
  }

 private:
  void open_stream(const HttpResponder& responder) {
    auto stream = responder.stream({.first = shared("data: first\n\n"),
                                    .too_slow = shared("event: bye\ndata: too slow\n\n")});
    if (!stream) return;
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
  }

  std::mutex mutex_;
  std::multimap<std::string, HttpResponder> parked_;
  std::vector<std::shared_ptr<EventStream>> streams_;
  std::vector<std::thread> threads_;
};

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() {
    limits_.read_timeout = std::chrono::milliseconds(60'000);
    limits_.idle_timeout = std::chrono::milliseconds(60'000);
    limits_.write_timeout = std::chrono::milliseconds(60'000);
    limits_.heartbeat = std::chrono::milliseconds(60'000);
    limits_.max_body_bytes = 256 << 10;
  }
  ~HttpTest() override {
    server_.reset();
    work_.reset();
    io_.stop();
    for (auto& thread : threads_) thread.join();
    site_->join();
  }
  void start(int io_threads = 2) {
    auto server = HttpServer::listen(
        io_, "test port", "127.0.0.1", 0,
        [site = site_](const HttpRequest& request, HttpResponder responder) {
          site->handle(request, std::move(responder));
        },
        limits_, budget_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(server).value();
    for (int i = 0; i < io_threads; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  RawHttp connect(int receive_buffer_bytes = 0, const char* source = "127.0.0.1") {
    return RawHttp(server_->port(), receive_buffer_bytes, source);
  }
  template <class Condition>
  static bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  HttpLimits limits_;
  std::shared_ptr<ByteBudget> budget_ = std::make_shared<ByteBudget>(64 << 20);
  std::shared_ptr<FakeSite> site_ = std::make_shared<FakeSite>();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::unique_ptr<HttpServer> server_;
  std::vector<std::thread> threads_;
};

}  // namespace weir::web
