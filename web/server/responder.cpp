#include "web/server/responder.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <utility>

#include "web/server/connection.h"

namespace weir::web {

// What all copies of a responder share; the first answer counts.
class HttpResponder::Once {
 public:
  Once(std::shared_ptr<Gate> gate, std::weak_ptr<HttpConnection> connection,
       std::uint64_t sequence)
      : gate_(std::move(gate)), connection_(std::move(connection)), sequence_(sequence) {}
  ~Once() {
    if (!claim()) return;
    give(problem_answer({500, "nobody answered this request", "see the server's log"}));
  }

  bool claim() { return !answered_.exchange(true); }
  void give(HttpAnswer answer) {
    at_connection([sequence = sequence_, answer = std::move(answer)](HttpConnection& self) mutable {
      self.deliver(sequence, std::move(answer));
    });
  }
  std::shared_ptr<EventStream> open(StreamStart start) {
    std::shared_ptr<EventStream> stream;
    bool gone = true;
    gate_->pass([&] {
      const auto connection = connection_.lock();
      gone = !connection || connection->closed();
      if (!gone) stream = connection->make_stream(start.too_slow);
    });
    if (gone) return nullptr;
    if (!stream) {
      HttpAnswer answer = problem_answer({429, "there are too many open streams", "close some"});
      give(std::move(answer.with("Retry-After", "5")));
      return nullptr;
    }
    if (start.first) stream->send(std::move(start.first));
    at_connection([sequence = sequence_, stream, type = start.content_type](HttpConnection& self) {
      self.begin_stream(sequence, stream, type);
    });
    return stream;
  }
  void run(std::function<void()> work) {
    at_connection([work = std::move(work)](HttpConnection&) { work(); });
  }

 private:
  template <class Work>
  void at_connection(Work work) {
    gate_->pass([&] {
      auto self = connection_.lock();
      if (!self) return;
      const auto& strand = self->strand();
      boost::asio::post(strand, [self = std::move(self), work = std::move(work)]() mutable {
        if (!self->closed()) work(*self);
      });
    });
  }

  const std::shared_ptr<Gate> gate_;
  const std::weak_ptr<HttpConnection> connection_;
  const std::uint64_t sequence_;
  std::atomic<bool> answered_{false};
};

HttpResponder::HttpResponder(std::shared_ptr<Gate> gate, std::weak_ptr<HttpConnection> connection,
                             std::uint64_t sequence)
    : once_(std::make_shared<Once>(std::move(gate), std::move(connection), sequence)) {}

void HttpResponder::answer(HttpAnswer answer) const {
  if (once_->claim()) once_->give(std::move(answer));
}

std::shared_ptr<EventStream> HttpResponder::stream(StreamStart start) const {
  return once_->claim() ? once_->open(std::move(start)) : nullptr;
}

void HttpResponder::hand_over(std::function<void()> work) const {
  once_->run(std::move(work));
}

}  // namespace weir::web
