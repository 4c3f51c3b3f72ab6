// Answers and streams on their way out.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "web/server/connection.h"

namespace weir::web {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kBytesAtOnce = 256 << 10;  // then other connections have a turn
}

void HttpConnection::write(HttpAnswer answer, const HttpRequest* request, bool close_after) {
  state_ = State::kWriting;
  read_deadline_.clear();
  // Who has ended its side may have asked more before it did.
  close_after_ = close_after || answer.endless || (end_of_input_ && kept_.empty());
  out_ = outgoing(std::move(answer), request, close_after_);
  written_ = 0;
  if (!answer_bytes_.resize(out_.budget_bytes)) {
    server_->refusals.refuse(RefusalCause::kOverBudget, name_,
                             no_room("an answer", out_.budget_bytes));
    server_->freed(out_.body);
    HttpAnswer instead = problem_answer(
        {429, "the server has no room for this answer now", "ask for less of it, or later"});
    instead.with("Retry-After", "1");
    out_ = outgoing(std::move(instead), request, close_after_);
  }
  if (request != nullptr) observe(out_.status);
  write_some();
}

void HttpConnection::begin_stream(std::uint64_t sequence, std::shared_ptr<EventStream> stream,
                                  std::string content_type) {
  if (closed() || state_ != State::kHandling || sequence != sequence_ || end_of_input_) {
    stream->close();
    leave_stream_count();
    if (end_of_input_) close();
    return;
  }
  observe(200);
  state_ = State::kStreaming;
  stream_ = std::move(stream);
  out_ = {};
  out_.head = stream_head(content_type);
  written_ = 0;
  kept_ = {};
  request_bytes_.resize(0);
  read_deadline_.clear();
  heartbeat_.set_in(server_->limits.heartbeat);
  write_some();
  wait_readable();
}

void HttpConnection::stream_has_more() {
  if (!closed() && state_ == State::kStreaming) write_some();
}

// What is left of the piece that goes out now, the next piece if there is none; empty: nothing is
// to be written.
std::string_view HttpConnection::unwritten() const {
  std::size_t skip = written_;
  for (const std::string* piece : {&out_.head, out_.body.get(), stream_text_.get()}) {
    if (piece == nullptr) continue;
    if (skip < piece->size()) return std::string_view(*piece).substr(skip);
    skip -= piece->size();
  }
  return {};
}

void HttpConnection::write_some() {
  if (waiting_to_write_) return;
  std::size_t at_once = 0;
  while (!closed()) {
    if (unwritten().empty()) {
      if (state_ != State::kStreaming) return answer_written();
      if (stream_text_) stream_->written(stream_text_->size());
      out_ = {};
      written_ = 0;
      stream_text_ = stream_->next();
      if (!stream_text_) {
        write_deadline_.clear();
        if (stream_->finished()) linger();
        return;
      }
      heartbeat_.set_in(server_->limits.heartbeat);
    }
    const std::string_view rest = unwritten();
    const std::size_t most = std::min(rest.size(), kBytesAtOnce);
    boost::system::error_code error;
    const std::size_t count = socket_.write_some(asio::buffer(rest.data(), most), error);
    if (error == asio::error::would_block || error == asio::error::try_again)
      return wait_writable();
    if (error) return close();
    written_ += count;
    at_once += count;
    if (state_ == State::kStreaming) write_deadline_.clear();
    if (at_once >= kBytesAtOnce && !unwritten().empty()) return wait_writable();
  }
}

void HttpConnection::wait_writable() {
  waiting_to_write_ = true;
  if (!write_deadline_.is_set()) {
    const std::size_t bytes = out_.body ? out_.body->size() : 0;
    write_deadline_.set_in(server_->limits.write_timeout +
                           std::chrono::seconds(bytes / server_->limits.slowest_bytes_per_second));
  }
  socket_.async_wait(TcpSocket::wait_write,
                     [self = self()](const boost::system::error_code& error) {
                       self->waiting_to_write_ = false;
                       if (error) return self->close();
                       self->write_some();
                     });
}

void HttpConnection::answer_written() {
  write_deadline_.clear();
  const SharedText body = std::exchange(out_, {}).body;
  written_ = 0;
  answer_bytes_.resize(0);
  server_->freed(body);
  if (close_after_) return linger();
  state_ = State::kReading;
  request_ = nullptr;
  idle_.store(true, std::memory_order_relaxed);
  // Not from here: a pipeline of a thousand requests would be a thousand calls deep.
  asio::post(strand_, [self = self()] { self->advance(); });
}

void HttpConnection::linger() {
  if (stream_) {
    stream_->close();
    stream_ = nullptr;
    leave_stream_count();
  }
  heartbeat_.clear();
  boost::system::error_code error;
  socket_.shutdown(TcpSocket::shutdown_send, error);
  if (error || end_of_input_) return close();
  state_ = State::kLingering;
  kept_ = {};
  reader_ = nullptr;
  request_bytes_.resize(0);
  read_deadline_.set_in(server_->limits.read_timeout);
  wait_readable();
}

}  // namespace weir::web
