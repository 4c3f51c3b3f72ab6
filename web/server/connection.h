// One client of an HttpServer: reads a request, has it handled by workers, writes the answer, reads
// the next. Requests that come before the former one is answered wait in the socket, and a few of
// them here, so answers leave in the order of the requests. Everything runs on the connection's
// strand except what says otherwise.
//
// It waits for readiness and then reads without blocking, so an idle connection holds no memory. A
// request holds its bytes in the port's budget until it is handled, an answer until it is written.
// When the client leaves, what waits for it at the workers goes.
// After an answer that ends the connection, what still comes is thrown away for a while: to close
// at once would take the answer away from a client that is still sending.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracker/port/port_connection.h"
#include "web/server/answer.h"
#include "web/server/gate.h"
#include "web/server/limits.h"
#include "web/server/request_reader.h"
#include "web/server/responder.h"
#include "web/server/stream_count.h"

namespace weir::web {

// What the connections of one server share.
struct HttpShared : PortShared {
  HttpShared(const std::string& server_name, const HttpLimits& server_limits,
             HttpService server_service, std::shared_ptr<ByteBudget> server_budget)
      : PortShared(server_name, server_limits.max_connections, std::move(server_budget)),
        limits(server_limits),
        service(std::move(server_service)),
        streams(limits.max_streams) {}

  void freed(std::size_t bytes) const {
    if (bytes > 0 && service.freed) service.freed(bytes);
  }
  void freed(const SharedText& text) const { freed(text ? text->size() : 0); }

  const HttpLimits limits;
  const HttpService service;
  const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  StreamCount streams;
  std::atomic<std::int64_t> requests{0};
};

class HttpConnection final : public PortConnection {
 public:
  HttpConnection(TcpSocket socket, std::shared_ptr<Peer> peer, std::shared_ptr<HttpShared> server);
  ~HttpConnection() override;

  // The answer to the request of that number, in the form that its client gets.
  void deliver(std::uint64_t sequence, HttpAnswer answer);
  void begin_stream(std::uint64_t sequence, std::shared_ptr<EventStream> stream,
                    std::string content_type);
  void stream_has_more();

  // Any thread. Null when there are too many.
  std::shared_ptr<EventStream> make_stream(const SharedText& too_slow);

 private:
  enum class State { kReading, kHandling, kWriting, kStreaming, kLingering };

  bool may_read() const;
  void wait_readable();
  void on_readable();
  void on_end_of_input();
  void ask_if_there();
  void advance();
  bool take_input();
  bool has_room();
  void set_read_deadline();
  void handle();
  Workers::Work handling(const HttpResponder& responder);
  void handled(std::uint64_t sequence, const std::string& user);
  void observe(int status) const;
  void answer_problem(const HttpProblem& problem);
  void write(HttpAnswer answer, const HttpRequest* request, bool close_after);
  void write_some();
  std::string_view unwritten() const;
  void answer_written();
  void linger();
  void wait_writable();
  void leave_stream_count();
  void started() override;
  void let_go() override;
  bool due(Deadline::Clock::time_point now) const override;
  void check_deadlines() override;
  std::shared_ptr<HttpConnection> self() {
    return std::static_pointer_cast<HttpConnection>(shared_from_this());
  }
  std::weak_ptr<HttpConnection> weak_self() { return self(); }

  const std::shared_ptr<HttpShared> server_;

  State state_ = State::kReading;
  std::string local_address_;                           // of this side
  std::string kept_;                                    // read, and not taken yet
  std::unique_ptr<RequestReader> reader_;               // null between requests
  std::shared_ptr<HttpRequest> request_;                // that is being answered
  Workers* workers_ = nullptr;                          // of this request
  bool handler_returned_ = false;
  std::optional<HttpAnswer> early_;  // came before the handler returned
  std::chrono::steady_clock::time_point handled_at_{};  // from then on
  std::uint64_t sequence_ = 0;                          // of the request
  BudgetShare request_bytes_;
  BudgetShare answer_bytes_;
  bool had_a_request_ = false;
  bool end_of_input_ = false;
  bool waiting_to_read_ = false;
  bool waiting_to_write_ = false;
  std::size_t thrown_away_ = 0;  // while lingering

  Outgoing out_;
  std::string go_ahead_;     // goes before the answer
  std::size_t written_ = 0;  // of what goes out now
  bool close_after_ = false;
  std::shared_ptr<EventStream> stream_;
  SharedText stream_text_;

  Deadline heartbeat_;
  std::atomic<bool> stream_counted_{false};
};

}  // namespace weir::web
