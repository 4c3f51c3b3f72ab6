// One client of a FramedServer: reads frames, gives each to the processor, writes the replies in
// the order of the calls. Everything here runs on the connection's strand except expire_if_due()
// and construction.
//
// It waits for readiness and then reads without blocking into a buffer shared by all connections of
// its thread, so an idle connection holds no memory; only the beginning of an unfinished frame, or
// frames behind a full pipeline, are kept, and these are taken from the byte budget. A call holds
// the bytes of its frame in the budget until its reply is finished, the reply its own until it is
// written. Ready replies at the head of the order are written together. Deadlines are points in
// time that the server's sweep compares with now: no timer is set or cancelled for a call.
//
// A connection counts among those of its address, and of the user whom its latest call named, until
// it is closed or, where the port is full, has been told to give way to another: the place is the
// newcomer's from that moment.
#pragma once

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/metrics/call_counters.h"
#include "tracker/rpc/byte_budget.h"
#include "tracker/rpc/deadline.h"
#include "tracker/rpc/exchange.h"
#include "tracker/rpc/limits.h"
#include "tracker/rpc/peers.h"
#include "tracker/rpc/refusals.h"

namespace apache::thrift::async {
class TAsyncProcessor;
}

namespace weir {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

// What the connections of one server share.
struct ServerShared {
  std::string name;
  ServerLimits limits;
  std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor;
  std::shared_ptr<ByteBudget> budget;
  std::shared_ptr<apache::thrift::TConfiguration> configuration;
  std::shared_ptr<Mailbox> mailbox;
  RefusalLog refusals;
  PeerTable peers;
  PeerTable users{PeerTable::kTimesOfUsers};
  std::atomic<size_t> connections{0};
  CallCounters calls;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(TcpSocket socket, std::shared_ptr<Peer> peer, std::shared_ptr<ServerShared> server);
  ~Connection();

  // On the strand, once.
  void start();
  void close();
  void finish(std::shared_ptr<Exchange> exchange, bool more);
  // Any thread: drops the connection (on its strand) when a deadline has passed.
  void expire_if_due(std::chrono::steady_clock::time_point now);
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  // Any thread: makes room for another connection; false if it does so already. `whose` is of whom
  // there are too many, for the log: "its address", "its user".
  bool give_way(std::string_view whose);
  const Peer& peer() const { return *peer_; }
  // Any thread: whether it counts among those of this user.
  bool counts_for(const Peer& user) const {
    const std::lock_guard lock(count_mutex_);
    return counted_user_.get() == &user;
  }
  const std::shared_ptr<Speakers> speakers_ = std::make_shared<Speakers>();
  // Nothing of a call has come that is not answered.
  bool idle() const { return idle_.load(std::memory_order_relaxed); }
  const Strand& strand() const { return strand_; }

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
  void count_for(const std::string& user);
  void count_answer(const Exchange& exchange, std::string_view frame);
  BudgetShare::Account user_account() const { return user_ ? user_->account : nullptr; }
  std::shared_ptr<Exchange> take_exchange();
  void advance();
  void consume_kept();
  bool may_read() const;
  void write_ready();
  void written(size_t bytes);
  void retire_front();
  void wait_writable();
  void set_read_deadline();
  void refuse(RefusalCause cause, std::string_view what);
  void refuse_no_room(std::string_view what, size_t bytes);
  bool leave_count();
  void check_deadlines();

  Strand strand_;
  TcpSocket socket_;
  const std::shared_ptr<ServerShared> server_;
  const std::shared_ptr<Peer> peer_;
  std::shared_ptr<Peer> user_;  // whom a call named last; null as long as none did
  const std::string name_;  // of the client, for the log
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

  Deadline read_deadline_;  // set on the strand, looked at by the sweep
  Deadline write_deadline_;
  std::atomic<bool> closed_{false};
  mutable std::mutex count_mutex_;
  bool counted_ = true;                 // among all, and those of its address
  std::shared_ptr<Peer> counted_user_;  // and of this user; null: of none
  std::atomic<bool> idle_{true};
};

}  // namespace weir
