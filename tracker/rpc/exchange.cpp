#include "tracker/rpc/exchange.h"

#include <thrift/TApplicationException.h>

#include <boost/asio/post.hpp>

namespace weir {

namespace {
thread_local CallAnswer::InlineScope* current_scope = nullptr;

constexpr uint32_t kFirstReplyBytes = 512;

bool same_connection(const Exchange& a, const Exchange& b) {
  return !a.connection.owner_before(b.connection) && !b.connection.owner_before(a.connection);
}
}  // namespace

Exchange::Exchange(std::shared_ptr<apache::thrift::TConfiguration> configuration,
                   uint32_t max_frame_bytes)
    : buffer(std::make_shared<FrameBuffer>(kFirstReplyBytes, std::move(configuration))),
      protocol(std::make_shared<FrameProtocol>(buffer, max_frame_bytes)) {}

void write_internal_error(Exchange& exchange, const std::string& message) {
  using apache::thrift::TApplicationException;
  exchange.buffer->begin_frame();
  const TApplicationException error(TApplicationException::INTERNAL_ERROR, message);
  exchange.protocol->writeMessageBegin(exchange.method, apache::thrift::protocol::T_EXCEPTION,
                                       exchange.call_sequence);
  error.write(exchange.protocol.get());
  exchange.protocol->writeMessageEnd();
}

void Mailbox::put(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  if (io_ == nullptr) return;
  waiting_.push_back(std::move(exchange));
  if (drain_posted_) return;
  drain_posted_ = true;
  boost::asio::post(*io_, [self = shared_from_this()] { self->drain(); });
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  io_ = nullptr;
  waiting_.clear();
}

void Mailbox::drain() {
  std::vector<std::shared_ptr<Exchange>> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(waiting_);
    drain_posted_ = false;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    const bool more = i + 1 < batch.size() && same_connection(*batch[i], *batch[i + 1]);
    deliver_(std::move(batch[i]), more);
  }
}

CallAnswer::InlineScope::InlineScope(const Exchange& exchange)
    : exchange_(&exchange), outer_(current_scope) {
  current_scope = this;
}

CallAnswer::InlineScope::~InlineScope() {
  current_scope = outer_;
}

CallAnswer::~CallAnswer() {
  if (!claim()) return;
  write_internal_error(*exchange_, "the server lost this call; nothing is known about its effect");
  give_claimed(true);
}

void CallAnswer::give(bool healthy) {
  if (claim()) give_claimed(healthy);
}

void CallAnswer::give_claimed(bool healthy) {
  exchange_->healthy = healthy;
  if (current_scope != nullptr && current_scope->exchange_ == exchange_.get()) {
    current_scope->answered_ = true;
  } else {
    mailbox_->put(exchange_);
  }
}

}  // namespace weir
