#include "web/server/answer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "jobqueue/model/check.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

constexpr int kGzipLevel = 1;  // it is the daemon's time
constexpr std::string_view kGzipTagEnd = "-gzip\"";

// Pages run what they got from here, and nothing else; nobody shows them inside of their own.
constexpr std::string_view kSecurityHeaders =
    "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// Calls `see` with each part of a list with commas, until it returns true.
template <class See>
bool any_part(std::string_view list, See see) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (see(trimmed(list.substr(0, comma)))) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

std::string status_line(int status) {
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(status)));
  return fmt::format("HTTP/1.1 {} {}\r\n", status, std::string_view(reason.data(), reason.size()));
}

std::string date_line() {
  return fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", fmt::gmtime(std::time(nullptr)));
}

// A header's value is one line of printable text, whatever it is made of.
std::string header_line(std::string_view name, std::string_view value) {
  std::string line(name);
  line += ": ";
  for (const char c : value) line += c >= ' ' && c != 0x7F ? c : ' ';
  return line + "\r\n";
}

bool compressible(const HttpAnswer& answer) {
  return answer.content_type.starts_with("text/") ||
         answer.content_type.find("json") != std::string::npos ||
         answer.content_type.find("javascript") != std::string::npos ||
         answer.content_type.find("svg") != std::string::npos;
}

}  // namespace

HttpAnswer text_answer(int status, std::string content_type, std::string body) {
  HttpAnswer answer;
  answer.status = status;
  answer.content_type = std::move(content_type);
  answer.body = std::make_shared<const std::string>(std::move(body));
  return answer;
}

HttpAnswer problem_answer(const HttpProblem& problem) {
  // As the Thrift API calls them.
  const bool busy = problem.status == 429 || problem.status == 503;
  const char* code = busy ? "BUSY" : problem.status == 500 ? "INTERNAL" : "BAD_REQUEST";
  nlohmann::ordered_json body = {{"code", code},
                                 {"message", problem.message},
                                 {"hint", problem.hint},
                                 {"diagnostics", nlohmann::ordered_json::array()}};
  using Handler = nlohmann::ordered_json::error_handler_t;
  HttpAnswer answer = text_answer(problem.status, "application/json",
                                  body.dump(2, ' ', false, Handler::replace) + "\n");
  answer.cache_control = "no-store";
  for (const auto& [name, value] : problem.headers) answer.with(name, value);
  return answer;
}

HttpAnswer only_for_reading(const HttpRequest& request) {
  HttpAnswer answer;
  answer.status = 204;
  if (request.method != "OPTIONS")
    answer = problem_answer({405, request.method + " is not for this path", "GET, HEAD", {}});
  return answer.with("Allow", "GET, HEAD, OPTIONS");
}

bool names_etag(std::string_view list, std::string_view etag) {
  const auto bare = [](std::string_view tag) {
    return without_gzip(tag.starts_with("W/") ? tag.substr(2) : tag);
  };
  return any_part(list, [&](const std::string& tag) {
    return tag == "*" || (!etag.empty() && bare(tag) == bare(etag));
  });
}

std::string without_gzip(std::string_view tag) {
  if (!tag.ends_with(kGzipTagEnd)) return std::string(tag);
  return std::string(tag.substr(0, tag.size() - kGzipTagEnd.size())) + '"';
}

bool accepts_gzip(const HttpRequest& request) {
  const auto accepted = request.header("accept-encoding");
  if (!accepted) return false;
  std::optional<bool> named, others;  // what is said of gzip counts before what is said of all
  any_part(*accepted, [&](const std::string& part) {
    const std::size_t semicolon = part.find(';');
    const std::string name = lower_case(trimmed(std::string_view(part).substr(0, semicolon)));
    if (name != "gzip" && name != "x-gzip" && name != "*") return false;
    const std::size_t q = lower_case(part).find("q=", std::min(semicolon, part.size()));
    const bool taken = q == std::string::npos || std::strtod(part.c_str() + q + 2, nullptr) > 0;
    (name == "*" ? others : named) = taken;
    return false;
  });
  return named.value_or(others.value_or(false));
}

SharedText gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  WEIR_CHECK(
      deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib has no memory");
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  WEIR_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib's bound was too small");
  deflateEnd(&stream);
  return std::make_shared<const std::string>(out.data(), stream.total_out);
}

void choose_form(HttpAnswer& answer, const HttpRequest& request, const HttpLimits& limits) {
  const auto none_match = request.header("if-none-match");
  const bool known = request.method == "GET" && answer.status == 200 && !answer.etag.empty() &&
                     none_match && names_etag(*none_match, answer.etag);
  const bool zipped = answer.body && answer.body->size() >= limits.gzip_from_bytes &&
                      answer.status != 206 && compressible(answer) && accepts_gzip(request);
  // A strong tag stands for one sequence of bytes, and this is another one.
  if (zipped && answer.etag.starts_with('"')) {
    answer.etag.pop_back();
    answer.etag += kGzipTagEnd;
  }
  if (known) {
    answer.status = 304;
    answer.body = nullptr;
    return;
  }
  if (!zipped) return;
  answer.gzip = true;
  if (!answer.gzipped) answer.kept = false;
  answer.body = answer.gzipped ? answer.gzipped : gzip(*answer.body);
}

Outgoing outgoing(HttpAnswer answer, const HttpRequest* request, bool close) {
  Outgoing out;
  out.status = answer.status;
  if (answer.endless) {
    out.head = stream_head(answer.content_type);
    return out;
  }
  out.head = status_line(answer.status) + date_line() + std::string(kSecurityHeaders);
  out.head += header_line("Cache-Control", answer.cache_control);
  if (!answer.etag.empty()) out.head += header_line("ETag", answer.etag);
  if (!answer.content_type.empty()) {
    if (answer.status != 304) out.head += header_line("Content-Type", answer.content_type);
    out.head += "Vary: Accept-Encoding\r\n";
  }
  if (answer.gzip) out.head += "Content-Encoding: gzip\r\n";
  for (const auto& [name, value] : answer.headers) out.head += header_line(name, value);
  const std::size_t bytes = answer.body ? answer.body->size() : 0;
  if (answer.status != 304 && answer.status != 204)
    out.head += fmt::format("Content-Length: {}\r\n", bytes);
  if (close) {
    out.head += "Connection: close\r\n";
  } else if (request != nullptr && request->version == 10) {
    out.head += "Connection: keep-alive\r\n";
  }
  out.head += "\r\n";
  if (bytes > 0 && !(request != nullptr && request->head)) out.body = std::move(answer.body);
  out.budget_bytes = out.body && !answer.kept ? bytes : 0;
  return out;
}

std::string stream_head(std::string_view content_type) {
  return status_line(200) + date_line() + std::string(kSecurityHeaders) +
         "Cache-Control: no-store\r\n" + header_line("Content-Type", content_type) +
         "X-Accel-Buffering: no\r\nConnection: close\r\n\r\n";
}

}  // namespace weir::web
