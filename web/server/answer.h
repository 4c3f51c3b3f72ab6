// An answer, and how it becomes bytes: the headers that every answer has, 304 for who has it
// already, gzip for who takes it, no body for HEAD. Any thread; what takes time is apart.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "web/server/limits.h"
#include "web/server/request.h"

namespace weir::web {

using SharedText = std::shared_ptr<const std::string>;

struct HttpAnswer {
  int status = 200;
  std::string content_type;  // empty: there is no body
  SharedText body;
  SharedText gzipped;  // the same, if it was made ahead
  bool gzip = false;   // the body is compressed: choose_form() has seen to that
  // The body is kept by somebody else anyway (a page): it costs the port's budget nothing.
  bool kept = false;
  bool endless = false;  // to a HEAD: what a GET gives is a stream, which ends the connection
  std::string etag;  // with its quotes, or empty
  std::string cache_control = "no-cache";
  NamesAndValues headers;

  HttpAnswer& with(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return *this;
  }
};

HttpAnswer text_answer(int status, std::string content_type, std::string body);
// {"code", "message", "hint", "diagnostics"}, as all refusals are.
HttpAnswer problem_answer(const HttpProblem& problem);
// To what is no GET of what can only be read: 405, or of an OPTIONS what may be asked.
HttpAnswer only_for_reading(const HttpRequest& request);

// The form in which this client gets it: nothing if it has it already, compressed if it takes that.
// Takes long where the body is long.
void choose_form(HttpAnswer& answer, const HttpRequest& request, const HttpLimits& limits);

// What goes over the wire.
struct Outgoing {
  int status = 0;
  std::string head;
  SharedText body;  // may be null
  std::size_t budget_bytes = 0;
};

// `request` may be null: what came could not be read. `close`: the connection ends after it.
Outgoing outgoing(HttpAnswer answer, const HttpRequest* request, bool close);
// Of an event stream, which ends when its connection does.
std::string stream_head(std::string_view content_type);

// Whether If-None-Match names the tag; weak or not, gzipped or not is the same.
bool names_etag(std::string_view list, std::string_view etag);
// The tag of what was gzipped: "7" of "7-gzip".
std::string without_gzip(std::string_view tag);
bool accepts_gzip(const HttpRequest& request);
SharedText gzip(std::string_view text);

}  // namespace weir::web
