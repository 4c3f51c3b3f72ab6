// What a client sends to the web port: the bytes in pieces of a size that the first byte says, as
// requests one after another; in one piece they must be the same requests. Then an answer for each,
// of which the first header line must be the only one that says the status.
#include <memory>
#include <vector>

#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "web/server/answer.h"
#include "web/server/request_reader.h"
#include "web/server/target.h"

using namespace weir::web;

namespace {

struct Seen {
  std::vector<HttpRequest> requests;
  int refused = 0;  // the status
};

Seen read_all(std::string_view input, std::size_t piece, const HttpLimits& limits) {
  Seen seen;
  std::string kept;
  auto reader = std::make_unique<RequestReader>(limits);
  for (std::size_t at = 0; at < input.size(); at += piece) {
    kept += input.substr(at, piece);
    for (;;) {
      kept.erase(0, reader->take(kept));
      if (reader->state() == RequestReader::State::kRefused) {
        seen.refused = reader->problem().status;
        return seen;
      }
      if (reader->state() != RequestReader::State::kComplete) break;
      seen.requests.push_back(std::move(reader->request()));
      reader = std::make_unique<RequestReader>(limits);
      if (kept.empty()) break;
    }
    WEIR_CHECK(kept.size() <= limits.max_header_bytes + piece, "kept without bound");
  }
  return seen;
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  const std::size_t piece = take_choice(input, 64) + 1;
  HttpLimits limits;
  limits.max_header_bytes = 2'000;
  limits.max_body_bytes = 4'000;
  const Seen whole = read_all(input, input.size() + 1, limits);
  const Seen pieces = read_all(input, piece, limits);
  WEIR_CHECK(whole.requests.size() == pieces.requests.size(), "the pieces make a difference");
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    const HttpRequest& request = pieces.requests[i];
    const HttpRequest& same = whole.requests[i];
    WEIR_CHECK(request.method == same.method && request.body == same.body &&
                   request.path == same.path && request.headers == same.headers,
               "the pieces make a difference");
    WEIR_CHECK(request.body.size() <= limits.max_body_bytes, "a long body");
    for (const std::string& part : request.path) {
      WEIR_CHECK(is_utf8(part) && part.find('\0') == std::string::npos, "a path");
    }
    HttpAnswer answer = text_answer(200, "text/plain", std::string(2'000, 'x') + request.body);
    answer.with("Link", request.target)
        .with("X-Query", request.query.empty() ? "" : request.query[0].second);
    answer.etag = "\"7\"";
    choose_form(answer, request, limits);
    const Outgoing out = outgoing(answer, &request, !request.keep_alive);
    WEIR_CHECK(out.head.find("\r\n\r\n") == out.head.size() - 4, "a head with two ends");
  }
}
