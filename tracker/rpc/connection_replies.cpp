// Replies on their way out: those that are ready at the head of the order, in few writes.
#include <array>
#include <boost/asio/buffer.hpp>

#include "tracker/rpc/answer_code.h"
#include "tracker/rpc/connection.h"

namespace weir {
namespace {

constexpr size_t kMaxGather = 32;                 // replies in one write
constexpr size_t kMaxSpare = 4;                   // exchanges kept for the next calls
constexpr size_t kMaxSpareReplyBytes = 16 << 10;  // larger reply buffers are not kept

// The ready replies at the head of the order, as Asio's buffer sequence.
struct Gather {
  using value_type = boost::asio::const_buffer;
  using const_iterator = const boost::asio::const_buffer*;
  const_iterator begin() const { return buffers.data(); }
  const_iterator end() const { return buffers.data() + count; }
  std::array<boost::asio::const_buffer, kMaxGather> buffers;
  size_t count = 0;
};

}  // namespace

// A name that nothing answers to is not counted by that name: a client could make up any number.
void Connection::count_answer(const Exchange& exchange, std::string_view frame) {
  const AnswerCode answer = answer_code(frame);
  std::string_view method = exchange.method;
  method.remove_prefix(method.find(':') + 1);  // without its service
  server_->calls.add(answer.understood ? method : "unknown", answer.code,
                     std::chrono::steady_clock::now() - exchange.called_at);
}

void Connection::write_ready() {
  while (!closed() && !writing_ && !slots_.empty() && slots_.front().reply) {
    Gather gathered;
    size_t& count = gathered.count;
    for (const Slot& slot : slots_) {
      if (!slot.reply || count == kMaxGather) break;
      const std::string_view frame = slot.reply->buffer->finish_frame();
      const size_t offset = count == 0 ? front_offset_ : 0;
      gathered.buffers[count++] = boost::asio::buffer(frame.data() + offset, frame.size() - offset);
    }
    boost::system::error_code error;
    const size_t bytes = socket_.write_some(gathered, error);
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
      wait_writable();
      break;
    }
    if (error) return close();
    written(bytes);
  }
}

void Connection::written(size_t bytes) {
  front_offset_ += bytes;
  while (!slots_.empty() && slots_.front().reply && front_offset_ >= slots_.front().unsent_bytes) {
    front_offset_ -= slots_.front().unsent_bytes;
    retire_front();
    write_deadline_.clear();
  }
}

void Connection::retire_front() {
  Slot& slot = slots_.front();
  unsent_bytes_ -= slot.unsent_bytes;
  // A processor's callback that still refers to the exchange may write into it: such a one is not
  // used again.
  if (slot.reply.use_count() == 1 && spare_.size() < kMaxSpare &&
      slot.reply->buffer->capacity() <= kMaxSpareReplyBytes) {
    spare_.push_back(std::move(slot.reply));
  }
  slots_.pop_front();
  ++first_sequence_;
}

void Connection::wait_writable() {
  writing_ = true;
  if (!write_deadline_.is_set()) write_deadline_.set_in(server_->limits.write_timeout);
  socket_.async_wait(TcpSocket::wait_write,
                     [self = self()](const boost::system::error_code& error) {
                       self->writing_ = false;
                       if (error) return self->close();
                       self->advance();
                     });
}

}  // namespace weir
