// How a handler answers: at once or later, on any thread, once. A request that nobody answers (the
// last copy of its responder goes) is answered with 500. When the client is gone, or the server has
// stopped, an answer has no effect.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "web/server/answer.h"
#include "web/server/event_stream.h"
#include "web/server/workers.h"

namespace weir::web {

class HttpConnection;
struct HttpShared;

class HttpResponder {
 public:
  // For the server. The request is there as long as its client is.
  HttpResponder(std::shared_ptr<HttpShared> server, std::weak_ptr<HttpConnection> connection,
                std::weak_ptr<const HttpRequest> request, std::uint64_t sequence,
                Workers& workers);

  // Compressed, where it is to be, on this thread.
  void answer(HttpAnswer answer) const;
  // Answers with a stream. Null when there are too many: then the request has been refused.
  std::shared_ptr<EventStream> stream(StreamStart start) const;
  // Runs `work` on one of the request's workers, at once if this thread is one; not at all if the
  // client is gone. For what an answer takes long to be made of. Where they have no room for it the
  // request is refused.
  void hand_over(std::function<void()> work) const;
  // Whether the client is still there.
  bool wanted() const;

 private:
  class Once;
  std::shared_ptr<Once> once_;
};

// To a request that no worker has room for.
HttpAnswer no_worker_answer(Workers::Room room);

using HttpHandler = std::function<void(const HttpRequest& request, HttpResponder responder)>;

// Who serves what comes in at a port.
struct HttpService {
  HttpHandler handle;  // on one of the request's workers
  // Which these are: they must outlive the server, and end before its io_context does.
  std::function<Workers&(const HttpRequest& request)> workers_of;
  // Told of every request that was handled: the status that it got, and how long that took. May be
  // empty.
  std::function<void(const HttpRequest& request, int status,
                     std::chrono::steady_clock::duration took)>
      answered;
  // Told of bodies, of requests and of answers, that are needed no longer: how many bytes go. May
  // be empty.
  std::function<void(std::size_t bytes)> freed;
};

}  // namespace weir::web
