#include "web/server/responder.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <utility>

#include "web/server/connection.h"

namespace weir::web {

// What all copies of a responder share; the first answer counts.
class HttpResponder::Once {
 public:
  Once(std::shared_ptr<HttpShared> server, std::weak_ptr<HttpConnection> connection,
       std::weak_ptr<const HttpRequest> request, std::uint64_t sequence, Workers& workers)
      : server_(std::move(server)),
        connection_(std::move(connection)),
        request_(std::move(request)),
        sequence_(sequence),
        workers_(workers) {}
  ~Once() {
    if (!claim()) return;
    give(problem_answer({500, "nobody answered this request", "see the server's log", {}}));
  }

  bool claim() { return !answered_.exchange(true); }
  bool wanted() const { return !request_.expired(); }

  void give(HttpAnswer answer) {
    const auto request = request_.lock();
    if (!request) return server_->freed(answer.body);
    const SharedText whole = answer.body;
    choose_form(answer, *request, server_->limits);
    if (answer.body != whole) server_->freed(whole);
    at_connection([sequence = sequence_, answer = std::move(answer)](HttpConnection& self) mutable {
      self.deliver(sequence, std::move(answer));
    });
  }
  std::shared_ptr<EventStream> open(StreamStart start) {
    std::shared_ptr<EventStream> stream;
    bool gone = true;
    server_->gate->pass([&] {
      const auto connection = connection_.lock();
      gone = !connection || connection->closed();
      if (!gone) stream = connection->make_stream(start.too_slow);
    });
    if (gone) return nullptr;
    if (!stream) {
      HttpAnswer answer =
          problem_answer({429, "there are too many open streams", "close some", {}});
      give(std::move(answer.with("Retry-After", "5")));
      return nullptr;
    }
    at_connection([sequence = sequence_, stream, type = start.content_type](HttpConnection& self) {
      self.begin_stream(sequence, stream, type);
    });
    return stream;
  }
  void run(std::function<void()> work) {
    if (workers_.runs_here()) {
      if (wanted()) work();
      return;
    }
    Workers::Room room = Workers::Room::kEnough;
    const void* left = nullptr;  // a client that may have done so before its work was there
    std::string address;
    server_->gate->pass([&] {
      const auto self = connection_.lock();
      if (!self || self->closed()) return;
      address = self->peer().name;
      room = workers_.add(address, self.get(), [request = request_, work = std::move(work)] {
        if (!request.expired()) work();
      });
      if (self->closed()) left = self.get();
    });
    if (left != nullptr) workers_.drop(address, left);
    if (room != Workers::Room::kEnough && claim()) give(no_worker_answer(room));
  }

 private:
  template <class Work>
  void at_connection(Work work) {
    server_->gate->pass([&] {
      auto self = connection_.lock();
      if (!self) return;
      const auto& strand = self->strand();
      boost::asio::post(strand, [self = std::move(self), work = std::move(work)]() mutable {
        if (!self->closed()) work(*self);
      });
    });
  }

  const std::shared_ptr<HttpShared> server_;
  const std::weak_ptr<HttpConnection> connection_;
  const std::weak_ptr<const HttpRequest> request_;
  const std::uint64_t sequence_;
  Workers& workers_;
  std::atomic<bool> answered_{false};
};

HttpAnswer no_worker_answer(Workers::Room room) {
  const bool all = room == Workers::Room::kAllFull;
  HttpAnswer answer = problem_answer(
      {all ? 503 : 429, all ? "too many requests wait" : "too many requests from your address wait",
       "try again in a second", {}});
  return answer.with("Retry-After", "1");
}

HttpResponder::HttpResponder(std::shared_ptr<HttpShared> server,
                             std::weak_ptr<HttpConnection> connection,
                             std::weak_ptr<const HttpRequest> request, std::uint64_t sequence,
                             Workers& workers)
    : once_(std::make_shared<Once>(std::move(server), std::move(connection), std::move(request),
                                   sequence, workers)) {}

void HttpResponder::answer(HttpAnswer answer) const {
  if (once_->claim()) once_->give(std::move(answer));
}

std::shared_ptr<EventStream> HttpResponder::stream(StreamStart start) const {
  return once_->claim() ? once_->open(std::move(start)) : nullptr;
}

void HttpResponder::hand_over(std::function<void()> work) const {
  once_->run(std::move(work));
}

bool HttpResponder::wanted() const {
  return once_->wanted();
}

}  // namespace weir::web
