#include "web/server/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "web/server/authority.h"
#include "web/server/target.h"

namespace weir::web {

namespace http = boost::beast::http;
namespace {

std::string text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::size_t count(const NamesAndValues& headers, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; }));
}

}  // namespace

std::optional<std::string> HttpRequest::header(std::string_view name) const {
  std::optional<std::string> value;
  for (const auto& [known, text] : headers) {
    if (known != name) continue;
    if (!value) {
      value = text;
    } else {
      *value += ", " + text;
    }
  }
  return value;
}

RequestReader::RequestReader(const HttpLimits& limits) : limits_(limits) {
  parser_.header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
  parser_.body_limit(limits.max_body_bytes);
  parser_.eager(true);
}

std::size_t RequestReader::take(std::string_view input) {
  std::size_t taken = 0;
  while (state_ == State::kMore && taken < input.size()) {
    const std::string_view rest = input.substr(taken);
    // Beast would look for the end of headers further than they may reach.
    const std::size_t most =
        had_headers_ ? rest.size() : std::min(rest.size(), limits_.max_header_bytes + 1);
    const std::size_t body_before = parser_.get().body().size();
    boost::beast::error_code error;
    // The headers alone first: they say whether the body may come.
    parser_.eager(had_headers_);
    const std::size_t used = parser_.put(boost::asio::buffer(rest.data(), most), error);
    taken += used;
    if (!had_headers_) count_header_bytes(used);
    if (error && error != http::error::need_more) {
      refuse_as(error);
      break;
    }
    if (had_headers_) {
      // A megabyte in chunks of one byte, or with long extensions, is no megabyte's work.
      chunk_overhead_ += used - (parser_.get().body().size() - body_before);
      if (chunk_overhead_ > limits_.max_body_bytes / 4 + limits_.max_header_bytes) {
        refuse(413, "a body with more bytes about its chunks than allowed", "larger chunks");
        break;
      }
    }
    if (!had_headers_ && parser_.is_header_done()) {
      had_headers_ = true;
      if (!on_headers()) break;
    }
    if (parser_.is_done()) {
      request_.body = std::move(parser_.get().body());
      state_ = State::kComplete;
      break;
    }
    if (used == 0) {
      if (error != http::error::need_more) continue;
      // Beast takes whole lines of headers, and of the rest only knows what it would still take.
      const std::size_t before = had_headers_ ? 0 : header_bytes_;
      if (before + rest.size() > limits_.max_header_bytes) {
        refuse(had_headers_ ? 400 : 431,
               fmt::format("more than {} bytes of {}", limits_.max_header_bytes,
                           had_headers_ ? "a chunk's head" : "headers"),
               "less");
      }
      break;
    }
  }
  return taken;
}

// Beast takes the request line by itself, and would let the headers have the whole limit again.
void RequestReader::count_header_bytes(std::size_t used) {
  header_bytes_ += used;
  const std::size_t most = limits_.max_header_bytes;
  const std::size_t left = most - std::min(most, header_bytes_);
  parser_.header_limit(static_cast<std::uint32_t>(std::max<std::size_t>(left, 1)));
}

bool RequestReader::on_headers() {
  const auto& message = parser_.get();
  request_.method = text_of(message.method_string());
  request_.target = text_of(message.target());
  request_.version = static_cast<int>(message.version());
  request_.keep_alive = message.keep_alive();
  for (const auto& field : message)
    request_.headers.emplace_back(lower_case(text_of(field.name_string())),
                                  text_of(field.value()));
  return check_headers() && check_body_headers();
}

bool RequestReader::check_headers() {
  if (request_.version != 10 && request_.version != 11)
    return refuse(505, "this is an HTTP/1.1 server", "HTTP/1.1 or HTTP/1.0");
  // Other methods are for those who know what there is at the path: 405, with Allow, or 404.
  if (request_.method == "CONNECT")
    return refuse(501, "method 'CONNECT' is for proxies", "a method for what is here");
  request_.head = request_.method == "HEAD";
  if (request_.head) request_.method = "GET";
  const std::size_t hosts = count(request_.headers, "host");
  if (hosts > 1 || (hosts == 0 && request_.version == 11))
    return refuse(400, fmt::format("{} Host headers", hosts), "one Host header");
  std::string problem;
  const bool whole_server = request_.method == "OPTIONS" && request_.target == "*";
  auto target = parse_target(whole_server ? "/" : request_.target, &problem);
  if (!target) return refuse(400, "the address of the request has " + problem, "a path like /jobs");
  if (hosts == 1 && !target->authority && request_.header("host")->empty())
    return refuse(400, "an empty Host header", "a name or an address: node7:9080");
  request_.authority = target->authority ? std::move(*target->authority)
                                         : request_.header("host").value_or("");
  const auto asked = parse_authority(request_.authority);
  if (!asked || (target->authority && asked->host.empty())) {
    return refuse(400, fmt::format("'{}' is no host", request_.authority.substr(0, 100)),
                  "a name or an address, and a port if need be: node7:9080, [::1]:9080");
  }
  request_.host = asked->host;
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  return true;
}

bool RequestReader::check_body_headers() {
  const auto coding = request_.header("transfer-encoding");
  if (coding && lower_case(*coding) != "chunked")
    return refuse(501, "this Transfer-Encoding is not known here", "chunked, or a Content-Length");
  const std::size_t lengths = count(request_.headers, "content-length");
  if (lengths > 1 || (coding && (lengths > 0 || request_.version == 10)))
    return refuse(400, "the length of the body is said in more than one way", "one Content-Length");
  const bool has_body = coding || lengths > 0;
  const bool needs_body =
      request_.method == "POST" || request_.method == "PUT" || request_.method == "PATCH";
  // Whether one is wanted at the path is for others to say. What comes behind it is no request.
  request_.length_missing = needs_body && !has_body;
  if (request_.length_missing) request_.keep_alive = false;
  const auto encoding = request_.header("content-encoding");
  if (has_body && encoding && lower_case(*encoding) != "identity")
    return refuse(415, "a body in a Content-Encoding", "send the body as it is",
                  {{"Accept-Encoding", "identity"}});
  const auto expect = request_.header("expect");
  if (expect && lower_case(*expect) != "100-continue")
    return refuse(417, "an expectation that is not known here", "100-continue");
  go_ahead_wanted_ = expect.has_value() && has_body && request_.version == 11;
  return true;
}

bool RequestReader::wants_go_ahead() {
  if (!go_ahead_wanted_ || state_ != State::kMore) return false;
  go_ahead_wanted_ = false;
  return true;
}

bool RequestReader::refuse(int status, std::string message, std::string hint,
                           NamesAndValues headers) {
  state_ = State::kRefused;
  problem_ = {status, std::move(message), std::move(hint), std::move(headers)};
  return false;
}

void RequestReader::refuse_as(const boost::beast::error_code& error) {
  if (error == http::error::header_limit) {
    refuse(431, fmt::format("more than {} bytes of headers", limits_.max_header_bytes),
           "fewer or shorter headers");
  } else if (error == http::error::body_limit) {
    refuse(413, fmt::format("a body of more than {} bytes", limits_.max_body_bytes),
           "a smaller body");
  } else if (error == http::error::bad_version) {
    refuse(505, "this is an HTTP/1.1 server", "HTTP/1.1 or HTTP/1.0");
  } else {
    refuse(400, "what came is not an HTTP request: " + error.message(), "HTTP/1.1");
  }
}

}  // namespace weir::web
