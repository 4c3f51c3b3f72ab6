// One request of the API while it is handled: what stands in its path, its query and its body, each
// read with one clear refusal if it cannot be right, and the reply. A Call is good only while its
// handler runs; a Reply may be kept.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/ids.h"
#include "tracker/jobtracker/answer.h"
#include "views/json/json.h"
#include "web/api/refusal.h"
#include "web/server/responder.h"

namespace weir::web {

// How a request is answered: from any thread, once. What takes time to be written is written by a
// worker of the web port, never on the thread that brings the answer.
class Reply {
 public:
  explicit Reply(HttpResponder responder) : responder_(std::move(responder)) {}

  void give(HttpAnswer answer) const { responder_.answer(std::move(answer)); }
  void refuse(const Error& error) const { give(error_answer(error)); }
  const HttpResponder& responder() const { return responder_; }
  // Runs it on a worker of the web port, if the client is still there; a Refusal that it throws is
  // the answer.
  void work(std::function<void()> work) const;
  bool wanted() const { return responder_.wanted(); }

  // The answer of a service becomes this reply by `render`, which gives an HttpAnswer.
  template <class T, class Render>
  Answer<T> then(Render render) const {
    return [reply = *this, render = std::move(render)](Result<T> result) {
      if (!result) return reply.refuse(result.error());
      reply.work([reply, render, value = std::move(*result)] { reply.give(render(value)); });
    };
  }

 private:
  HttpResponder responder_;
};

// The parameters of a query: unknown ones, and those that are there twice, are refused.
class Query {
 public:
  Query(const NamesAndValues& parameters, std::initializer_list<std::string_view> known);

  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::int64_t limit(std::int64_t otherwise) const;  // `limit`, 1 to 10,000
  bool flag(std::string_view name) const;  // 1, true, or without a value
  std::vector<std::string> list(std::string_view name) const;  // with commas

 private:
  const NamesAndValues& parameters_;
};

struct Call {
  const HttpRequest& request;
  std::vector<std::string> names;  // what stands for {} in the path
  Reply reply;

  Query query(std::initializer_list<std::string_view> known) const {
    return {request.query, known};
  }
  // X-Weir-User and X-Weir-Groups; refused without the former.
  Caller caller() const;
  JobId job() const;  // names[0]: 7, 0007 or job_0007
};

// A body is only looked at if its type is JSON; bounded in depth and number of values.
Json json_body(const HttpRequest& request);
bool is_json(const HttpRequest& request);
// Content-Type in lower case, without parameters.
std::string media_type(const HttpRequest& request);

// Of a list with commas, as in a header; empty parts go.
std::vector<std::string> parts_of(std::string_view list);

// `version`: of the published views that it shows; 0: none.
HttpAnswer json_answer(const Json& json, Version version = 0);
HttpAnswer json_text_answer(std::string text, Version version = 0);
std::string etag_of(Version version);
// The value of a Link header: the same query, for the page that follows.
std::string next_page(const HttpRequest& request, std::string_view path,
                      const std::string& cursor);

}  // namespace weir::web
