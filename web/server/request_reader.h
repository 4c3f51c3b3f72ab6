// Makes requests of bytes, in whatever pieces these come: Beast's parser inside limits, and what
// is checked of a request before anybody handles it. A reader is for one request; the next one
// needs a new reader. No input or output, one thread.
//
// Headers are taken once, when they end: what a chunked body says in its trailer counts for
// nothing.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "web/server/limits.h"
#include "web/server/request.h"

namespace weir::web {

// The body as a string that grows with what has come, not with what is claimed to come.
struct GrowingBody {
  using value_type = std::string;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::beast::error_code& error) {
      error = {};
      std::size_t bytes = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer part = *at;
        body_.append(static_cast<const char*>(part.data()), part.size());
        bytes += part.size();
      }
      return bytes;
    }
    void finish(boost::beast::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

class RequestReader {
 public:
  enum class State { kMore, kComplete, kRefused };

  explicit RequestReader(const HttpLimits& limits);

  // Takes from the front of `input` what it can; how many bytes that were. To be called again with
  // the rest and what has come since, as long as it wants more.
  std::size_t take(std::string_view input);
  State state() const { return state_; }
  // It waits for a body, which the client sends only when told to: true once.
  bool wants_go_ahead();
  std::size_t body_capacity() const { return parser_.get().body().capacity(); }
  HttpRequest& request() { return request_; }         // when complete
  const HttpProblem& problem() const { return problem_; }  // when refused

 private:
  void count_header_bytes(std::size_t used);
  bool on_headers();
  bool check_headers();
  bool check_body_headers();
  bool refuse(int status, std::string message, std::string hint, NamesAndValues headers = {});
  void refuse_as(const boost::beast::error_code& error);

  const HttpLimits& limits_;
  boost::beast::http::request_parser<GrowingBody> parser_;
  State state_ = State::kMore;
  bool had_headers_ = false;
  bool go_ahead_wanted_ = false;
  std::size_t header_bytes_ = 0;
  std::size_t chunk_overhead_ = 0;  // bytes of a body that are not of its text
  HttpRequest request_;
  HttpProblem problem_;
};

}  // namespace weir::web
