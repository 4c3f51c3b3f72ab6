#include "tracker/rpc/connection.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <thrift/async/TAsyncProcessor.h>

#include <boost/asio/buffer.hpp>

namespace weir {

namespace asio = boost::asio;
namespace {
constexpr size_t kCallBytes = 2 << 10;  // what a call costs besides its frame
}  // namespace

Connection::Connection(TcpSocket socket, std::shared_ptr<Peer> peer,
                       std::shared_ptr<ServerShared> server)
    : PortConnection(std::move(socket), std::move(peer), server),
      server_(std::move(server)),
      mailbox_(server_->mailboxes.at(&socket_.get_executor().get_inner_executor().context())),
      in_buffer_(std::make_shared<FrameBuffer>(0, server_->configuration)),
      in_protocol_(std::make_shared<FrameProtocol>(in_buffer_, server_->limits.max_frame_bytes)),
      kept_bytes_(*server_->budget, peer_->account) {}

void Connection::started() {
  set_read_deadline();
  wait_readable();
}

void Connection::let_go() {
  slots_.clear();
  spare_.clear();
  if (!consuming_) kept_ = {};
  kept_bytes_.resize(0);
}

// ---- reading

bool Connection::may_read() const {
  return slots_.size() < server_->limits.max_in_flight &&
         unsent_bytes_ <= server_->limits.max_unsent_bytes;
}

void Connection::wait_readable() {
  if (reading_ || closed()) return;
  reading_ = true;
  socket_.async_wait(TcpSocket::wait_read, [self = self()](const boost::system::error_code& error) {
    self->reading_ = false;
    if (error) return self->close();
    self->on_readable();
  });
}

void Connection::on_readable() {
  if (closed() || !may_read()) return;
  auto& buffer = read_buffer();
  boost::system::error_code error;
  const size_t count = socket_.read_some(asio::buffer(buffer), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return wait_readable();
  if (error) return close();  // the client has left; what it asked for goes on, unanswered
  const std::string_view fresh(buffer.data(), count);
  // Frames that came whole are worked on where they are; only what is left of them is kept.
  const size_t consumed = kept_.empty() ? consume_frames(fresh) : 0;
  if (closed() || !keep_unfinished(fresh.substr(consumed))) return;
  advance();
}

// Appends to what is kept, taking the room from the budget first.
bool Connection::keep_unfinished(std::string_view rest) {
  if (rest.empty()) return true;
  const size_t needed = kept_.size() + rest.size();
  if (needed > kept_.capacity()) {
    const size_t frame_bytes =
        inspect_frame({kept_.data(), kept_.size()}, server_->limits.max_frame_bytes).total_bytes;
    size_t room = std::max(needed, 2 * kept_.capacity());
    // The frame's length is known early, so doubling need not overshoot it.
    if (frame_bytes >= needed) room = std::min(room, frame_bytes);
    if (!kept_bytes_.resize(room)) {
      refuse(RefusalCause::kOverBudget, no_room("a frame", room));
      return false;
    }
    kept_.reserve(room);
  }
  kept_.insert(kept_.end(), rest.begin(), rest.end());
  return true;
}

// Works on what is kept and writes what is ready until neither makes room for the other, then reads
// on.
void Connection::advance() {
  for (;;) {
    const size_t kept_before = kept_.size();
    const bool could_read = may_read();
    if (!kept_.empty() && could_read) consume_kept();
    if (!closed()) write_ready();
    if (closed()) return;
    const bool no_whole_frame = could_read && kept_.size() == kept_before;
    if (kept_.empty() || no_whole_frame || !may_read()) break;
  }
  set_read_deadline();
  if (may_read()) wait_readable();
}

void Connection::consume_kept() {
  const size_t consumed = consume_frames({kept_.data(), kept_.size()});
  if (closed()) return;
  if (consumed == kept_.size()) {
    kept_ = {};
    kept_bytes_.resize(0);
  } else {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(consumed));
  }
}

size_t Connection::consume_frames(std::string_view input) {
  // A handler may answer, and a reply may make room for reading, inside process(): that must not
  // come back here.
  consuming_ = true;
  size_t consumed = 0;
  while (!closed() && may_read()) {
    const FrameHead head = inspect_frame(input.substr(consumed), server_->limits.max_frame_bytes);
    if (head.kind == FrameHead::Kind::kOversize || head.kind == FrameHead::Kind::kMalformed) {
      refuse(head.kind == FrameHead::Kind::kOversize ? RefusalCause::kOversize
                                                     : RefusalCause::kMalformed,
             head.problem);
      break;
    }
    if (head.kind == FrameHead::Kind::kIncomplete) break;
    call(input.substr(consumed + kFrameHeaderBytes, head.total_bytes - kFrameHeaderBytes));
    consumed += head.total_bytes;
    frame_begun_ = false;
  }
  consuming_ = false;
  return consumed;
}

// A frame's time runs from its first byte, however slowly the others trickle in; it is not set anew
// by them.
void Connection::set_read_deadline() {
  if (closed()) return;
  idle_.store(slots_.empty() && kept_.empty(), std::memory_order_relaxed);
  if (!may_read()) {
    read_deadline_.clear();
    frame_begun_ = false;
  } else if (!kept_.empty()) {
    const bool first = !had_a_frame_ && read_deadline_.is_set();
    if (!frame_begun_ && !first) read_deadline_.set_in(server_->limits.read_timeout);
    frame_begun_ = true;
  } else if (!had_a_frame_) {
    if (!read_deadline_.is_set()) read_deadline_.set_in(server_->limits.read_timeout);
  } else {
    if (!slots_.empty()) return read_deadline_.clear();
    read_deadline_.set_in(server_->limits.idle_timeout);
  }
}

// ---- calling

std::shared_ptr<Exchange> Connection::take_exchange() {
  if (spare_.empty()) {
    return std::make_shared<Exchange>(server_->configuration, server_->limits.max_frame_bytes);
  }
  auto exchange = std::move(spare_.back());
  spare_.pop_back();
  return exchange;
}

void Connection::call(std::string_view message) {
  std::string_view method;
  int32_t call_sequence = 0;
  if (!parse_call_head(message, &method, &call_sequence)) {
    return refuse(RefusalCause::kMalformed, "a message whose method name is longer than its frame");
  }
  Slot slot{BudgetShare(*server_->budget, peer_->account, user_account()), nullptr, 0};
  const size_t bytes = message.size() + kCallBytes;
  if (!slot.bytes.resize(bytes)) return refuse(RefusalCause::kOverBudget, no_room("a call", bytes));
  had_a_frame_ = true;
  auto exchange = take_exchange();
  exchange->connection = self();
  exchange->sequence = first_sequence_ + slots_.size();
  exchange->healthy = true;
  exchange->called_at = std::chrono::steady_clock::now();
  exchange->method = method;
  exchange->call_sequence = call_sequence;
  exchange->buffer->begin_frame();
  slots_.push_back(std::move(slot));

  const auto answer = std::make_shared<CallAnswer>(mailbox_, exchange);
  in_buffer_->observe(message);
  CallAnswer::InlineScope scope(*exchange);
  const CallingPeerScope calling(*peer_, speakers_);
  try {
    // The generated callback calls the processor by a raw pointer and holds only what it was given
    // here: so this keeps the processor for as long as anybody may still answer.
    server_->processor->process(
        [answer, kept = server_->processor](bool healthy) { answer->give(healthy); }, in_protocol_,
        exchange->protocol);
  } catch (const apache::thrift::protocol::TProtocolException& error) {
    refuse(RefusalCause::kMalformed,
           fmt::format("a message that cannot be read: {}", error.what()));
  } catch (const apache::thrift::transport::TTransportException& error) {
    refuse(RefusalCause::kMalformed,
           fmt::format("a message that cannot be read: {}", error.what()));
  } catch (const std::exception& error) {
    spdlog::error("{}: {} failed: {}", server_->name, method, error.what());
    if (answer->claim()) {
      write_internal_error(*exchange, error.what());
      answer->give_claimed(true);
    }
  }
  // It is under way, so whether the user whom it names has room for it is asked no more: the next
  // one of this connection, and the answer, will be.
  if (!calling.user().empty() && !closed()) {
    count_for(calling.user());
    kept_bytes_.count_for(user_->account);
    slots_.back().bytes.count_for(user_->account);
  }
  // An answer given inside process() needs no way back: this is its strand. It is written with the
  // others.
  if (scope.answered()) finish(std::move(exchange), true);
}

void Connection::finish(std::shared_ptr<Exchange> exchange, bool more) {
  if (closed()) return;
  if (!exchange->healthy) {
    return refuse(RefusalCause::kMalformed,
                  fmt::format("arguments of {} that cannot be read", exchange->method));
  }
  Slot& slot = slots_[exchange->sequence - first_sequence_];
  slot.reply = std::move(exchange);
  const std::string_view frame = slot.reply->buffer->finish_frame();
  count_answer(*slot.reply, frame);
  slot.unsent_bytes = frame.size();
  unsent_bytes_ += slot.unsent_bytes;
  if (!slot.bytes.resize(slot.unsent_bytes + kCallBytes))
    return refuse(RefusalCause::kOverBudget, no_room("a reply", slot.unsent_bytes));
  if (!more) advance();
}

// ---- deadlines

void Connection::check_deadlines() {
  const ServerLimits& limits = server_->limits;
  const auto now = Deadline::Clock::now();
  if (write_deadline_.passed(now)) {
    return refuse(RefusalCause::kTimeout, fmt::format("it did not take a reply within {} ms",
                                                      limits.write_timeout.count()));
  }
  if (!read_deadline_.passed(now)) return;
  if (!kept_.empty()) {
    refuse(RefusalCause::kTimeout,
           fmt::format("a frame was not finished within {} ms", limits.read_timeout.count()));
  } else if (!had_a_frame_) {
    refuse(RefusalCause::kTimeout,
           fmt::format("it sent nothing for {} ms", limits.read_timeout.count()));
  } else {
    spdlog::debug("{}: closed {}: idle for {} ms", server_->name, name_,
                  limits.idle_timeout.count());
    close();
  }
}

}  // namespace weir
