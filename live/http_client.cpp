#include "live/http_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace weir::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Code = boost::system::error_code;

}  // namespace

struct HttpClient::Connection {
  asio::io_context io;
  std::optional<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
  std::atomic<bool> stopped{false};

  // Starts an operation and waits for its end; an operation that does not end is cut off.
  template <class Start>
  void wait(const char* what, std::chrono::milliseconds limit, Start start) {
    std::optional<Code> ended;
    io.restart();
    start([&ended](Code code, auto&&...) { ended = code; });
    if (!stopped) io.run_for(limit);
    if (!ended) {
      const bool called_off = stopped;
      if (stream) {
        Code ignored;
        stream->socket().close(ignored);
      }
      io.restart();
      io.run();  // the handler refers to what ends here
      stream.reset();
      throw HttpTrouble(called_off ? "called off"
                                   : fmt::format("no answer for {} s ({})", limit.count() / 1000,
                                                 what));
    }
    if (*ended) {
      stream.reset();
      throw boost::system::system_error(*ended, what);
    }
  }

  template <class Message>
  void write(const Message& message, std::chrono::milliseconds limit) {
    wait("write", limit,
         [&](auto done) { http::async_write(*stream, message, std::move(done)); });
  }
};

HttpClient::HttpClient(std::string host, std::uint16_t port, HttpLimits limits)
    : host_(std::move(host)),
      port_(port),
      limits_(limits),
      connection_(std::make_unique<Connection>()) {}

HttpClient::~HttpClient() = default;

std::string HttpClient::address() const {
  return host_.find(':') == std::string::npos ? fmt::format("{}:{}", host_, port_)
                                              : fmt::format("[{}]:{}", host_, port_);
}

void HttpClient::stop() {
  connection_->stopped = true;
  connection_->io.stop();
}

void HttpClient::connect() {
  Connection& c = *connection_;
  if (c.stopped) throw HttpTrouble("called off");
  if (c.stream) return;
  c.buffer.clear();
  asio::ip::tcp::resolver resolver(c.io);
  Code code;
  const auto found = resolver.resolve(host_, std::to_string(port_), code);
  if (code) throw HttpTrouble(fmt::format("{}: {}", host_, code.message()));
  c.stream.emplace(c.io);
  c.wait("connect", limits_.connect,
         [&](auto done) { c.stream->async_connect(found, std::move(done)); });
}

HttpReply HttpClient::ask_once(const HttpAsk& what) {
  connect();
  Connection& c = *connection_;
  http::request<http::string_body> request;
  request.method_string(what.method);
  request.target(what.target);
  request.version(11);
  request.set(http::field::host, address());
  request.set(http::field::accept, "application/json");
  request.set(http::field::user_agent, "weir");
  for (const auto& [name, value] : what.headers) request.set(name, value);
  if (!what.body.empty()) {
    request.set(http::field::content_type, "application/json");
    request.body() = what.body;
  }
  request.prepare_payload();
  c.write(request, limits_.answer);
  http::response_parser<http::string_body> parser;
  parser.body_limit(limits_.body_bytes);
  parser.header_limit(limits_.header_bytes);
  c.wait("read", limits_.answer, [&](auto done) {
    http::async_read_header(*c.stream, c.buffer, parser, std::move(done));
  });
  if (parser.content_length().value_or(0) > limits_.body_bytes) {
    c.stream.reset();
    throw HttpTrouble(fmt::format("the answer is larger than {} bytes", limits_.body_bytes));
  }
  c.wait("read", limits_.answer, [&](auto done) {
    http::async_read(*c.stream, c.buffer, parser, std::move(done));
  });
  auto& answer = parser.get();
  HttpReply reply;
  reply.status = answer.result_int();
  reply.next_cursor = std::string(answer["X-Weir-Next-Cursor"]);
  reply.version = std::string(answer["X-Weir-Version"]);
  reply.body = std::move(answer.body());
  if (!parser.keep_alive()) c.stream.reset();
  return reply;
}

HttpReply HttpClient::ask(const HttpAsk& what) {
  const bool kept = connection_->stream.has_value();
  try {
    return ask_once(what);
  } catch (const boost::system::system_error& error) {
    connection_->stream.reset();
    if (!kept || what.method != "GET") throw HttpTrouble(error.code().message());
  }
  try {
    return ask_once(what);
  } catch (const boost::system::system_error& error) {
    connection_->stream.reset();
    throw HttpTrouble(error.code().message());
  }
}

HttpReply HttpClient::get(const std::string& target) {
  return ask({.method = "GET", .target = target, .body = "", .headers = {}});
}

HttpReply HttpClient::stream(const std::string& target,
                             const std::function<bool(std::string_view)>& taken) {
  Connection& c = *connection_;
  c.stream.reset();
  try {
    connect();
    http::request<http::empty_body> request(http::verb::get, target, 11);
    request.set(http::field::host, address());
    request.set(http::field::accept, "text/event-stream");
    request.set(http::field::user_agent, "weir");
    c.write(request, limits_.answer);
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(UINT64_MAX);  // it has no end; each piece has
    parser.header_limit(limits_.header_bytes);
    c.wait("read", limits_.answer, [&](auto done) {
      http::async_read_header(*c.stream, c.buffer, parser, std::move(done));
    });
    HttpReply reply;
    reply.status = parser.get().result_int();
    std::array<char, 16 << 10> piece;
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = piece.data();
      body.size = piece.size();
      body.more = true;
      c.wait("stream", limits_.silence, [&](auto done) {
        http::async_read_some(*c.stream, c.buffer, parser,
                              [done = std::move(done)](Code code, std::size_t) mutable {
                                done(code == http::error::need_buffer ? Code() : code);
                              });
      });
      const std::string_view came(piece.data(), piece.size() - body.size);
      if (reply.status != 200) {
        if (reply.body.size() + came.size() > limits_.header_bytes) break;
        reply.body += came;
      } else if (!came.empty() && !taken(came)) {
        break;
      }
    }
    c.stream.reset();
    return reply;
  } catch (const boost::system::system_error& error) {
    c.stream.reset();
    throw HttpTrouble(error.code().message());
  }
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("-._~", c) != nullptr) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace weir::live
