#include "web/server/connection.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

namespace weir::web {

namespace asio = boost::asio;
namespace {

constexpr std::size_t kRequestBytes = 2 << 10;  // what a request costs besides its text
constexpr std::size_t kLingerBytes = 32 << 20;  // thrown away after the last answer

}  // namespace

HttpConnection::HttpConnection(TcpSocket socket, std::shared_ptr<Peer> peer,
                               std::shared_ptr<HttpShared> server)
    : PortConnection(std::move(socket), std::move(peer), server),
      server_(std::move(server)),
      request_bytes_(*server_->budget, peer_->account),
      answer_bytes_(*server_->budget, peer_->account) {}

HttpConnection::~HttpConnection() {
  leave_stream_count();
}

void HttpConnection::leave_stream_count() {
  if (stream_counted_.exchange(false)) server_->streams.remove(peer_->name);
}

void HttpConnection::started() {
  boost::system::error_code gone;
  const auto local = socket_.local_endpoint(gone);
  if (!gone) local_address_ = local.address().to_string();
  set_read_deadline();
  wait_readable();
}

void HttpConnection::let_go() {
  leave_stream_count();
  heartbeat_.clear();
  if (stream_) stream_->close();
  stream_ = nullptr;
  request_ = nullptr;
  early_ = std::nullopt;
  if (workers_ != nullptr) workers_->drop(peer_->name, this);
  server_->freed(out_.body);
  out_ = {};
  request_bytes_.resize(0);
  answer_bytes_.resize(0);
}

// ---- reading

bool HttpConnection::may_read() const {
  if (closed() || end_of_input_) return false;
  const bool ahead = state_ == State::kHandling || state_ == State::kWriting;
  return !ahead || kept_.size() < server_->limits.max_header_bytes;
}

void HttpConnection::wait_readable() {
  if (waiting_to_read_ || !may_read()) return;
  waiting_to_read_ = true;
  socket_.async_wait(TcpSocket::wait_read, [self = self()](const boost::system::error_code& error) {
    self->waiting_to_read_ = false;
    if (error) return self->close();
    self->on_readable();
  });
}

void HttpConnection::on_readable() {
  if (!may_read()) return;
  auto& buffer = read_buffer();
  // Of requests that must wait only a little is read ahead.
  const bool reading = state_ == State::kReading || state_ == State::kLingering;
  const std::size_t most = reading ? buffer.size() : server_->limits.max_header_bytes;
  boost::system::error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(buffer.data(), most), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return wait_readable();
  if (error == asio::error::eof) return on_end_of_input();
  if (error) return close();
  if (state_ == State::kLingering || state_ == State::kStreaming) {
    thrown_away_ += count;
    if (thrown_away_ > kLingerBytes) return close();
  } else {
    kept_.append(buffer.data(), count);
    if (!has_room()) return;
    advance();
  }
  wait_readable();
}

// A client may have ended its side and still wait for its answers; it has a while for that.
void HttpConnection::on_end_of_input() {
  end_of_input_ = true;
  if (state_ == State::kReading && !kept_.empty()) return advance();
  const bool waits = state_ == State::kHandling || state_ == State::kWriting;
  if (!waits) return close();
  if (state_ != State::kHandling) return;
  read_deadline_.set_in(server_->limits.read_timeout);
  ask_if_there();
}

// It may also have left. To what it is told now, if only that there will be an answer, the system
// of a client that has left says that nobody is there.
void HttpConnection::ask_if_there() {
  if (request_->version == 10) return;  // which knows no answer but the last
  constexpr std::string_view kNotYet = "HTTP/1.1 102 Processing\r\n\r\n";
  boost::system::error_code ignored;
  socket_.write_some(asio::buffer(kNotYet.data(), kNotYet.size()), ignored);
  socket_.async_wait(TcpSocket::wait_error,
                     [self = self()](const boost::system::error_code&) { self->close(); });
}

bool HttpConnection::has_room() {
  const std::size_t bytes =
      kept_.capacity() + (reader_ ? reader_->body_capacity() : 0) + kRequestBytes;
  if (request_bytes_.resize(bytes)) return true;
  const std::string what = no_room("a request", bytes);
  if (state_ != State::kReading) {
    refuse(RefusalCause::kOverBudget, what);
  } else {
    server_->refusals.refuse(RefusalCause::kOverBudget, name_, what);
    answer_problem({429, "the server has no room for this request now", "try again in a second"});
  }
  return false;
}

// Takes requests of what was read until one is to be handled.
void HttpConnection::advance() {
  if (closed() || state_ != State::kReading) return;
  if (kept_.empty()) {
    if (end_of_input_) return close();
    if (!reader_) {
      kept_.shrink_to_fit();
      request_bytes_.resize(0);
    }
  } else if (!take_input()) {
    return;
  }
  set_read_deadline();
  wait_readable();
}

// False when a request is complete, or refused.
bool HttpConnection::take_input() {
  if (!reader_) reader_ = std::make_unique<RequestReader>(server_->limits);
  const std::size_t taken = reader_->take(kept_);
  kept_.erase(0, taken);
  if (reader_->state() == RequestReader::State::kRefused) {
    const HttpProblem problem = reader_->problem();
    server_->refusals.refuse(problem.status == 413 || problem.status == 431
                                 ? RefusalCause::kOversize
                                 : RefusalCause::kMalformed,
                             name_, problem.message);
    answer_problem(problem);
    return false;
  }
  if (reader_->state() == RequestReader::State::kComplete) {
    handle();
    return false;
  }
  if (end_of_input_) {
    close();
    return false;
  }
  if (!has_room()) return false;
  if (reader_->wants_go_ahead()) {
    // Into a window that is empty: the client waits.
    constexpr std::string_view kGoAhead = "HTTP/1.1 100 Continue\r\n\r\n";
    boost::system::error_code ignored;
    socket_.write_some(asio::buffer(kGoAhead.data(), kGoAhead.size()), ignored);
  }
  return true;
}

// A request's time runs from its first byte, however slowly the others trickle in.
void HttpConnection::set_read_deadline() {
  const bool between = !reader_ && kept_.empty();
  const bool was_idle = idle_.exchange(between, std::memory_order_relaxed);
  if (!had_a_request_) {
    if (!read_deadline_.is_set()) read_deadline_.set_in(server_->limits.read_timeout);
  } else if (between) {
    read_deadline_.set_in(server_->limits.idle_timeout);
  } else if (was_idle || !read_deadline_.is_set()) {
    read_deadline_.set_in(server_->limits.read_timeout);
  }
}

// ---- handling

void HttpConnection::handle() {
  state_ = State::kHandling;
  had_a_request_ = true;
  idle_.store(false, std::memory_order_relaxed);
  read_deadline_.clear();
  request_ = std::make_shared<HttpRequest>(std::move(reader_->request()));
  request_->local_address = local_address_;
  reader_ = nullptr;
  handled_at_ = std::chrono::steady_clock::now();
  ++sequence_;
  ++server_->requests;
  workers_ = &server_->service.workers_of(*request_);
  handler_returned_ = false;
  const HttpResponder responder(server_, weak_self(), request_, sequence_, *workers_);
  const auto room = workers_->add(peer_->name, this, handling(responder));
  if (room != Workers::Room::kEnough) {
    responder.answer(no_worker_answer(room));
    server_->freed(std::exchange(request_->body, {}).size());
    handled(sequence_, "");
  }
  wait_readable();
}

// What a worker does with the request. It keeps the connection from nothing: of one that is closed
// only the handler that runs goes on, to its end.
Workers::Work HttpConnection::handling(const HttpResponder& responder) {
  return [server = server_, peer = peer_, speakers = speakers_, weak = weak_self(),
          weak_request = std::weak_ptr(request_), sequence = sequence_, responder] {
    auto request = weak_request.lock();
    if (!request) return;
    std::string user;
    try {
      const CallingPeerScope calling(*peer, speakers);
      server->service.handle(*request, responder);
      user = calling.user();
    } catch (const std::exception& error) {
      spdlog::error("{}: {} {} failed: {}", server->name, request->method, request->target,
                    error.what());
      responder.answer(
          problem_answer({500, "the server failed at this request", "see its log", {}}));
    }
    const std::size_t bytes = std::exchange(request->body, {}).size();
    request = nullptr;
    server->freed(bytes);
    server->gate->pass([&] {
      auto self = weak.lock();
      if (!self) return;
      const auto& strand = self->strand();
      asio::post(strand, [self = std::move(self), sequence, user] {
        if (!self->closed()) self->handled(sequence, user);
      });
    });
  };
}

// Its answer waits for this, so that its bytes count for the user whom the call has named.
void HttpConnection::handled(std::uint64_t sequence, const std::string& user) {
  if (sequence != sequence_) return;
  handler_returned_ = true;
  if (!user.empty()) {
    count_for(user);
    request_bytes_.count_for(user_->account);
    answer_bytes_.count_for(user_->account);
  }
  if (state_ != State::kHandling) return;
  request_bytes_.resize(kept_.capacity() + kRequestBytes);
  if (early_) deliver(sequence, *std::exchange(early_, std::nullopt));
}

void HttpConnection::deliver(std::uint64_t sequence, HttpAnswer answer) {
  if (closed() || state_ != State::kHandling || sequence != sequence_) return;
  if (handler_returned_) return write(std::move(answer), request_.get(), !request_->keep_alive);
  early_ = std::move(answer);
}

void HttpConnection::observe(int status) const {
  if (!server_->service.answered) return;
  server_->service.answered(*request_, status, std::chrono::steady_clock::now() - handled_at_);
}

void HttpConnection::answer_problem(const HttpProblem& problem) {
  reader_ = nullptr;
  HttpAnswer answer = problem_answer(problem);
  if (problem.status == 429) answer.with("Retry-After", "1");
  write(std::move(answer), nullptr, true);
}

std::shared_ptr<EventStream> HttpConnection::make_stream(const SharedText& too_slow) {
  if (closed() || !server_->streams.try_add(peer_->name)) return nullptr;
  stream_counted_ = true;
  if (closed()) leave_stream_count();
  return std::make_shared<EventStream>(
      server_->budget, BudgetShare(*server_->budget, peer_->account),
      server_->limits.max_unsent_bytes, too_slow, [gate = server_->gate, weak = weak_self()] {
        gate->pass([&] {
          const auto self = weak.lock();
          if (self) asio::post(self->strand(), [self] { self->stream_has_more(); });
        });
      });
}

// ---- deadlines

bool HttpConnection::due(Deadline::Clock::time_point now) const {
  return PortConnection::due(now) || heartbeat_.passed(now);
}

void HttpConnection::check_deadlines() {
  const HttpLimits& limits = server_->limits;
  const auto now = Deadline::Clock::now();
  if (write_deadline_.passed(now)) {
    return refuse(RefusalCause::kTimeout, "it did not take an answer in time");
  }
  if (heartbeat_.passed(now) && stream_) {
    static const auto kComment = std::make_shared<const std::string>(": heartbeat\n\n");
    heartbeat_.set_in(limits.heartbeat);
    if (!stream_text_) stream_->send(kComment);
  }
  if (!read_deadline_.passed(now)) return;
  if (state_ != State::kReading || idle()) {
    if (!had_a_request_ && state_ == State::kReading) {
      return refuse(RefusalCause::kTimeout,
                    fmt::format("it sent nothing for {} ms", limits.read_timeout.count()));
    }
    return close();
  }
  const std::string what =
      fmt::format("a request was not finished within {} ms", limits.read_timeout.count());
  server_->refusals.refuse(RefusalCause::kTimeout, name_, what);
  answer_problem({408, what, "send it faster, or in parts"});
}

}  // namespace weir::web
