// One call on its way: Exchange is the place of its reply, CallAnswer the duty to give it, Mailbox
// the way back from whatever thread gives it to the connection's own.
//
// The generated processor keeps raw pointers into the exchange until its callback has run, so the
// callback (through CallAnswer) keeps the exchange alive. One that goes without having been given
// answers INTERNAL_ERROR itself: a handler that loses its callbacks costs its caller one failed
// call and nobody else anything. Exchanges are used again once nobody but the connection refers to
// them. Completing one is safe from any thread, at any time: after the server has stopped it has no
// effect.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/rpc/frame.h"

namespace weir {

class Connection;

// The reply of one call. The processor's thread writes it, then (through the mailbox) the
// connection's strand.
struct Exchange {
  Exchange(std::shared_ptr<apache::thrift::TConfiguration> configuration, uint32_t max_frame_bytes);

  std::shared_ptr<FrameBuffer> buffer;
  std::shared_ptr<FrameProtocol> protocol;
  std::weak_ptr<Connection> connection;
  uint64_t sequence = 0;      // place in the connection's order of replies
  bool healthy = true;        // false: the arguments could not be read
  std::chrono::steady_clock::time_point called_at{};
  std::string method;         // as called, for replies that the server writes itself
  int32_t call_sequence = 0;  // the client's number of the call
};

// Replaces whatever was written by a TApplicationException INTERNAL_ERROR.
void write_internal_error(Exchange& exchange, const std::string& message);

// Finished exchanges of one server, on their way to their connections. One wake-up carries all that
// are waiting.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  // `more`: the next delivery is for the same connection, so writing may wait for it.
  using Deliver = std::function<void(std::shared_ptr<Exchange>, bool more)>;

  Mailbox(boost::asio::io_context& io, Deliver deliver) : io_(&io), deliver_(std::move(deliver)) {}

  void put(std::shared_ptr<Exchange> exchange);
  // From here on nothing is delivered and the io_context is not touched.
  void close();

 private:
  void drain();

  std::mutex mutex_;
  boost::asio::io_context* io_;  // null once closed
  const Deliver deliver_;
  std::vector<std::shared_ptr<Exchange>> waiting_;
  bool drain_posted_ = false;
};

class CallAnswer {
 public:
  // While it lives, an answer to `exchange` given on this thread is only noted, not put into the
  // mailbox.
  class InlineScope {
   public:
    explicit InlineScope(const Exchange& exchange);
    InlineScope(const InlineScope&) = delete;
    InlineScope& operator=(const InlineScope&) = delete;
    ~InlineScope();
    bool answered() const { return answered_; }

   private:
    friend class CallAnswer;
    const Exchange* exchange_;
    InlineScope* outer_;
    bool answered_ = false;
  };

  CallAnswer(std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Exchange> exchange)
      : mailbox_(std::move(mailbox)), exchange_(std::move(exchange)) {}
  CallAnswer(const CallAnswer&) = delete;
  CallAnswer& operator=(const CallAnswer&) = delete;
  ~CallAnswer();

  // The reply is written (or cannot be, when not healthy). Only the first call has an effect.
  void give(bool healthy);
  // The first to claim it may write into the exchange and must give it.
  bool claim() { return !given_.exchange(true, std::memory_order_acq_rel); }
  void give_claimed(bool healthy);

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<Exchange> exchange_;
  std::atomic<bool> given_{false};
};

}  // namespace weir
