// One client of a FramedServer: reads frames, gives each to the processor, writes the replies in
// the order of the calls. Everything here runs on the connection's strand.
//
// It waits for readiness and then reads without blocking into a buffer shared by all connections of
// its thread, so an idle connection holds no memory; only the beginning of an unfinished frame, or
// frames behind a full pipeline, are kept, and these are taken from the byte budget. A call holds
// the bytes of its frame in the budget until its reply is finished, the reply its own until it is
// written. Ready replies at the head of the order are written together.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/metrics/call_counters.h"
#include "tracker/port/port_connection.h"
#include "tracker/rpc/exchange.h"
#include "tracker/rpc/limits.h"

namespace apache::thrift::async {
class TAsyncProcessor;
}

namespace weir {

using Mailboxes = std::map<const boost::asio::execution_context*, std::shared_ptr<Mailbox>>;

// What the connections of one server share.
struct ServerShared : PortShared {
  ServerShared(const std::string& server_name, const ServerLimits& server_limits,
               std::shared_ptr<apache::thrift::async::TAsyncProcessor> server_processor,
               std::shared_ptr<ByteBudget> server_budget, Mailboxes server_mailboxes)
      : PortShared(server_name, server_limits.max_connections, std::move(server_budget)),
        limits(server_limits),
        processor(std::move(server_processor)),
        configuration(std::make_shared<apache::thrift::TConfiguration>(
            static_cast<int>(limits.max_frame_bytes), static_cast<int>(limits.max_frame_bytes))),
        mailboxes(std::move(server_mailboxes)) {}

  const ServerLimits limits;
  const std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor;
  const std::shared_ptr<apache::thrift::TConfiguration> configuration;
  const Mailboxes mailboxes;  // of its io_contexts
  CallCounters calls;
};

class Connection final : public PortConnection {
 public:
  Connection(TcpSocket socket, std::shared_ptr<Peer> peer, std::shared_ptr<ServerShared> server);

  void finish(std::shared_ptr<Exchange> exchange, bool more);

 private:
  // A call in the order in which they came.
  struct Slot {
    BudgetShare bytes;
    std::shared_ptr<Exchange> reply;  // null until it is finished
    size_t unsent_bytes = 0;
  };

  void wait_readable();
  void on_readable();
  // Consumes whole frames from the front of `input`; returns how many bytes were consumed.
  size_t consume_frames(std::string_view input);
  bool keep_unfinished(std::string_view rest);
  void call(std::string_view message);
  void count_answer(const Exchange& exchange, std::string_view frame);
  std::shared_ptr<Exchange> take_exchange();
  void advance();
  void consume_kept();
  bool may_read() const;
  void write_ready();
  void written(size_t bytes);
  void retire_front();
  void wait_writable();
  void set_read_deadline();
  void started() override;
  void let_go() override;
  void check_deadlines() override;
  std::shared_ptr<Connection> self() {
    return std::static_pointer_cast<Connection>(shared_from_this());
  }

  const std::shared_ptr<ServerShared> server_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<FrameBuffer> in_buffer_;
  std::shared_ptr<FrameProtocol> in_protocol_;

  std::vector<char> kept_;  // unread input: an unfinished frame, or frames behind a full pipeline
  BudgetShare kept_bytes_;
  bool frame_begun_ = false;  // the input ends in the middle of a frame
  bool had_a_frame_ = false;
  bool reading_ = false;  // a wait for readability is outstanding
  bool consuming_ = false;

  std::deque<Slot> slots_;
  uint64_t first_sequence_ = 0;  // of slots_.front()
  size_t unsent_bytes_ = 0;      // of finished replies
  size_t front_offset_ = 0;      // bytes of the front reply already written
  bool writing_ = false;         // a wait for writability is outstanding
  std::vector<std::shared_ptr<Exchange>> spare_;
};

}  // namespace weir
