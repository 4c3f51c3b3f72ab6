// What every connection of a Port has, whatever is spoken on it: its socket, its place among the
// connections of its address and of its user, its deadlines, and the way it is dropped. Everything
// runs on the connection's strand except construction and what says otherwise.
//
// A connection counts among those of its address, and of the user whom its latest call named, until
// it is closed or, where the port is full, has been told to give way to another: the place is the
// newcomer's from that moment. Deadlines are points in time that the port's sweep compares with
// now: no timer is set or cancelled for a call.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tracker/port/byte_budget.h"
#include "tracker/port/deadline.h"
#include "tracker/port/peers.h"
#include "tracker/port/refusals.h"

namespace weir {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;

// What the connections of one port share.
struct PortShared {
  PortShared(std::string port_name, size_t most_connections,
             std::shared_ptr<ByteBudget> port_budget)
      : name(std::move(port_name)),
        max_connections(most_connections),
        budget(std::move(port_budget)),
        refusals(name) {}

  const std::string name;  // the subject of log lines
  const size_t max_connections;
  const std::shared_ptr<ByteBudget> budget;
  RefusalLog refusals;
  PeerTable peers;
  PeerTable users{PeerTable::kTimesOfUsers};
  std::atomic<size_t> connections{0};
};

class PortConnection : public std::enable_shared_from_this<PortConnection> {
 public:
  PortConnection(const PortConnection&) = delete;
  PortConnection& operator=(const PortConnection&) = delete;
  virtual ~PortConnection();

  // Once.
  void start();
  void close();

  // Any thread.
  // Has its deadlines looked at (on its strand) when one has passed.
  void expire_if_due(Deadline::Clock::time_point now);
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  // Nothing of a call has come that is not answered.
  bool idle() const { return idle_.load(std::memory_order_relaxed); }
  // Makes room for another connection; false if it does so already. `whose` is of whom there are
  // too many, for the log: "its address", "its user".
  bool give_way(std::string_view whose);
  const Peer& peer() const { return *peer_; }
  // Whether it counts among those of this user.
  bool counts_for(const Peer& user) const;
  const Strand& strand() const { return strand_; }

 protected:
  PortConnection(TcpSocket socket, std::shared_ptr<Peer> peer, std::shared_ptr<PortShared> port);

  // One for each io thread, shared by its connections: bytes stay in it only while they are taken
  // up, so an idle connection holds no memory.
  using ReadBuffer = std::array<char, 64 << 10>;
  static ReadBuffer& read_buffer();

  // The call that has just been made names him.
  void count_for(const std::string& user);
  BudgetShare::Account user_account() const { return user_ ? user_->account : nullptr; }
  // Drops the connection; counted by its cause, and logged.
  void refuse(RefusalCause cause, std::string_view what);
  // The sentence for a refusal by the byte budget: "no room for a frame of 70000 bytes: ...".
  std::string no_room(std::string_view what, size_t bytes) const;

  virtual void started() = 0;
  virtual void let_go() = 0;  // what it holds: it has just been closed
  virtual bool due(Deadline::Clock::time_point now) const;  // any thread
  virtual void check_deadlines() = 0;

  Strand strand_;
  TcpSocket socket_;
  const std::shared_ptr<Peer> peer_;
  std::shared_ptr<Peer> user_;  // whom a call named last; null as long as none did
  const std::shared_ptr<Speakers> speakers_ = std::make_shared<Speakers>();
  const std::string name_;  // of the client, for the log
  Deadline read_deadline_;
  Deadline write_deadline_;
  std::atomic<bool> idle_{true};

 private:
  bool leave_count();

  const std::shared_ptr<PortShared> port_;
  std::atomic<bool> closed_{false};
  mutable std::mutex count_mutex_;
  bool counted_ = true;                 // among all, and those of its address
  std::shared_ptr<Peer> counted_user_;  // and of this user; null: of none
};

}  // namespace weir
