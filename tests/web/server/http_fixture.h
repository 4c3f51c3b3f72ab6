// What the tests of this folder share: an HTTP server on a free port with short limits, a handler
// that does what the path says, and a raw socket for clients that misbehave.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tracker/port/raw_socket.h"
#include "web/server/server.h"

namespace weir::web {

class RawHttp : public RawSocket {
 public:
  using RawSocket::RawSocket;
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
};

// "X-User" names the caller. What a path has it do:
//   /say/TEXT   answers with TEXT and the body         /large/N    N bytes
//   /tag        with the ETag "7"                      /park/NAME  kept until release(NAME)
//   /later      answered by another thread             /lose       nobody answers
//   /throw      the handler throws                     /twice      answers twice
//   /stream     an event stream, kept in streams()     /block      returns after unblock()
//   /early      answers, and returns after unblock()
//   /hand       hands its answer to the workers, from another thread, once they are blocked
// "/now/..." has workers of its own, who do the rest.
class FakeSite {
 public:
  void handle(const HttpRequest& request, HttpResponder responder) {
    ++handled_;
    std::vector<std::string> path = request.path;
    if (!path.empty() && path[0] == "now") path.erase(path.begin());
    const std::string first = path.empty() ? "" : path[0];
    const std::string second = path.size() > 1 ? path[1] : "";
    if (const auto user = request.header("x-user")) note_calling_user(*user);
    if (first == "later") {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([responder] { responder.answer(text("later")); });
    } else if (first == "park") {
      const std::lock_guard lock(mutex_);
      parked_.emplace(second, responder);
    } else if (first == "early") {
      responder.answer(text("early"));
      block();
    } else if (first == "block") {
      block();
      responder.answer(text("unblocked"));
    } else if (first == "hand") {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([this, responder] { hand_over(responder); });
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
  // So many of the workers are in /block.
  int blocked() {
    const std::lock_guard lock(mutex_);
    return blocked_;
  }
  void unblock() {
    const std::lock_guard lock(mutex_);
    unblocked_ = true;
    changed_.notify_all();
  }
  int handled() const { return handled_; }
  int handed() const { return handed_; }  // that have come to the workers
  void join() {
    for (auto& thread : threads_) thread.join();
    const std::lock_guard lock(mutex_);
    parked_.clear();
  }

  static HttpAnswer text(std::string text) {
    return text_answer(200, "text/plain", std::move(text));
  }
  static SharedText shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
  }

 private:
  void open_stream(const HttpResponder& responder) {
    auto stream = responder.stream({.too_slow = shared("event: bye\ndata: too slow\n\n")});
    if (!stream) return;
    stream->send(shared("data: first\n\n"));
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
  }

  void block() {
    std::unique_lock lock(mutex_);
    ++blocked_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return unblocked_; });
  }
  void hand_over(const HttpResponder& responder) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return unblocked_ || blocked_ == 2; });
    }
    responder.hand_over([this, responder] {
      ++handed_;
      responder.answer(text("handed"));
    });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int blocked_ = 0;
  bool unblocked_ = false;
  std::atomic<int> handled_{0}, handed_{0};
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
    site_->unblock();
    server_.reset();
    if (workers_) workers_->stop();
    probe_workers_.stop();
    work_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
    site_->join();
  }
  HttpService service() {
    return {.handle = [site = site_](const HttpRequest& request,
                                     HttpResponder responder) {
              site->handle(request, std::move(responder));
            },
            .workers_of = [this](const HttpRequest& request) -> Workers& {
              const bool now = !request.path.empty() && request.path[0] == "now";
              return now ? probe_workers_ : *workers_;
            },
            .freed = [this](std::size_t bytes) { freed_ += bytes; }};
  }
  void start() {
    workers_.emplace("test port", 2, most_waiting_);
    auto server =
        HttpServer::listen(io_, "test port", "127.0.0.1", 0, service(), limits_, budget_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(server).value();
    thread_ = std::thread([this] { io_.run(); });
  }
  RawHttp connect(int receive_buffer_bytes = 0, const char* source = "127.0.0.1") {
    return RawHttp(server_->port(), receive_buffer_bytes, source);
  }

  HttpLimits limits_;
  std::shared_ptr<ByteBudget> budget_ = std::make_shared<ByteBudget>(64 << 20);
  std::shared_ptr<FakeSite> site_ = std::make_shared<FakeSite>();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::size_t most_waiting_ = 1'000;
  std::optional<Workers> workers_;
  Workers probe_workers_{"test port", 1, 100};
  std::atomic<std::size_t> freed_{0};
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace weir::web
