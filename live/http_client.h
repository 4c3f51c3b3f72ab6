// A blocking HTTP client for one server: the connection is kept and made again when it broke, every
// wait has an end, and of an answer no more is taken than the limits say. A stream of server-sent
// events is read by the same means. Whoever waits can be called off from another thread: stop().
// What goes wrong with the network is HttpTrouble, whatever the server says is an answer. One
// thread, but for stop().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::live {

class HttpTrouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpLimits {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds answer{30'000};
  std::chrono::milliseconds silence{45'000};  // of a stream; heartbeats come each 15 s
  std::uint64_t body_bytes = 64 << 20;
  std::uint32_t header_bytes = 16 << 10;
};

struct HttpAsk {
  std::string method = "GET";
  std::string target;  // /api/v1/cluster?...
  std::string body;    // JSON
  std::vector<std::pair<std::string, std::string>> headers;
};

struct HttpReply {
  unsigned status = 0;
  std::string body;
  std::string next_cursor;  // X-Weir-Next-Cursor
  std::string version;      // X-Weir-Version
};

class HttpClient {
 public:
  HttpClient(std::string host, std::uint16_t port, HttpLimits limits = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Once more if a kept connection turns out to be closed, and the call is a GET.
  HttpReply ask(const HttpAsk& what);
  HttpReply get(const std::string& target);
  // Each piece as it comes, until `taken` says false or the server ends; an answer that is not 200
  // is returned with its text.
  HttpReply stream(const std::string& target, const std::function<bool(std::string_view)>& taken);

  // Now, and whatever is asked from now on: HttpTrouble.
  void stop();

  std::string address() const;

 private:
  struct Connection;
  void connect();
  HttpReply ask_once(const HttpAsk& what);

  std::string host_;
  std::uint16_t port_;
  HttpLimits limits_;
  std::unique_ptr<Connection> connection_;
};

// Part of a path or query as it is written there.
std::string percent_encoded(std::string_view text);

}  // namespace weir::live
