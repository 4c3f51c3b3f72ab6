// One client of an HttpServer: reads a request, has it handled, writes the answer, reads the next.
// Requests that come before the former one is answered wait in the socket, and a few of them here,
// so answers leave in the order of the requests. Everything runs on the connection's strand except
// construction and what says otherwise.
//
// It waits for readiness and then reads without blocking, so an idle connection holds no memory. A
// request holds its bytes in the port's budget until it is handled, an answer until it is written.
// After an answer that ends the connection, what still comes is thrown away for a while: to close
// at once would take the answer away from a client that is still sending.
#pragma once

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "tracker/rpc/byte_budget.h"
#include "tracker/rpc/deadline.h"
#include "tracker/rpc/peers.h"
#include "tracker/rpc/refusals.h"
#include "web/server/answer.h"
#include "web/server/gate.h"
#include "web/server/limits.h"
#include "web/server/request_reader.h"
#include "web/server/responder.h"
#include "web/server/stream_count.h"

namespace weir::web {

using HttpStrand = boost::asio::strand<boost::asio::io_context::executor_type>;
using HttpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, HttpStrand>;

// What the connections of one server share.
struct HttpShared {
  HttpShared(std::string server_name, HttpLimits server_limits, HttpHandler server_handler,
             std::shared_ptr<ByteBudget> server_budget, HttpObserver server_observer)
      : name(std::move(server_name)),
        limits(server_limits),
        handler(std::move(server_handler)),
        budget(std::move(server_budget)),
        observer(std::move(server_observer)),
        refusals(name),
        streams(limits.max_streams) {}

  const std::string name;
  const HttpLimits limits;
  const HttpHandler handler;
  const std::shared_ptr<ByteBudget> budget;
  const HttpObserver observer;  // may be empty
  const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  RefusalLog refusals;
  PeerTable peers;
  StreamCount streams;
  std::atomic<std::size_t> connections{0};
  std::atomic<std::int64_t> requests{0};
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpSocket socket, std::shared_ptr<Peer> peer, std::shared_ptr<HttpShared> server);
  ~HttpConnection();

  void start();
  void close();
  // The answer to the request of that number.
  void deliver(std::uint64_t sequence, HttpAnswer answer);
  void begin_stream(std::uint64_t sequence, std::shared_ptr<EventStream> stream,
                    std::string content_type);
  void stream_has_more();

  // Any thread.
  void expire_if_due(Deadline::Clock::time_point now);
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  bool give_way();
  bool idle() const { return idle_.load(std::memory_order_relaxed); }
  const Peer& peer() const { return *peer_; }
  const HttpStrand& strand() const { return strand_; }
  // Null when there are too many.
  std::shared_ptr<EventStream> make_stream(const SharedText& too_slow);

 private:
  enum class State { kReading, kHandling, kWriting, kStreaming, kLingering };

  bool may_read() const;
  void wait_readable();
  void on_readable();
  void on_end_of_input();
  void advance();
  bool take_input();
  bool has_room();
  void set_read_deadline();
  void handle();
  void observe(int status) const;
  void answer_problem(const HttpProblem& problem);
  void write(HttpAnswer answer, const HttpRequest* request, bool close_after);
  void write_some();
  std::string_view unwritten() const;
  void answer_written();
  void linger();
  void wait_writable();
  void refuse(RefusalCause cause, std::string_view what);
  void check_deadlines();
  void leave_stream_count();
  bool leave_count();

  HttpStrand strand_;
  HttpSocket socket_;
  const std::shared_ptr<HttpShared> server_;
  const std::shared_ptr<Peer> peer_;
  const std::shared_ptr<Speakers> speakers_ = std::make_shared<Speakers>();
  const std::string name_;  // of the client, for the log

  State state_ = State::kReading;
  std::string kept_;                                    // read, and not taken yet
  std::unique_ptr<RequestReader> reader_;               // null between requests
  HttpRequest request_;                                 // that is being answered
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

  Deadline read_deadline_;
  Deadline write_deadline_;
  Deadline heartbeat_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> counted_{true};
  std::atomic<bool> stream_counted_{false};
  std::atomic<bool> idle_{true};
};

}  // namespace weir::web
