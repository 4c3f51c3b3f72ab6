// How a handler answers: at once or later, on any thread, once. A request that nobody answers (the
// last copy of its responder goes) is answered with 500. When the client is gone, or the server has
// stopped, an answer has no effect.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "web/server/answer.h"
#include "web/server/event_stream.h"

namespace weir::web {

class HttpConnection;
class Gate;

class HttpResponder {
 public:
  // For the server.
  HttpResponder(std::shared_ptr<Gate> gate, std::weak_ptr<HttpConnection> connection,
                std::uint64_t sequence);

  void answer(HttpAnswer answer) const;
  // Answers with a stream. Null when there are too many: then the request has been refused.
  std::shared_ptr<EventStream> stream(StreamStart start) const;
  // Runs `work` on a thread of the server, off this one; not at all if the client is gone. For what
  // an answer takes long to be made of.
  void hand_over(std::function<void()> work) const;

 private:
  class Once;
  std::shared_ptr<Once> once_;
};

// Told of every request that was handled: the status that it got, and how long the handler took.
using HttpObserver = std::function<void(const HttpRequest& request, int status,
                                        std::chrono::steady_clock::duration took)>;
using HttpHandler = std::function<void(const HttpRequest& request, HttpResponder responder)>;

}  // namespace weir::web
