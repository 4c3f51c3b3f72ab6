// Port listens at one address and keeps the table of its connections; what is spoken on them is its
// owner's (FramedServer, HttpServer). It accepts, has deadlines noticed, and makes room: where
// there are as many connections as may be, one of a user who has more than three quarters of them
// (from however many addresses) gives way to a newcomer, or else one of the address that has most
// to one of an address that has fewer. An address may have all of a port for as long as nobody else
// wants it, which is right for a cluster on one machine or behind one gateway.
//
// The io_context must outlive it. Acceptor and timers run on a strand of their own; the table is
// shared with stop() under a mutex.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/port/port_connection.h"

namespace weir {

// Connections are dealt out to these in turn, and stay where they are: with a thread for each
// io_context none of them is handed from one thread to another. The first one accepts. What waits
// in one holds nothing of another, so they may go in any order.
class IoContexts {
 public:
  IoContexts(boost::asio::io_context& one) : all_{&one} {}
  explicit IoContexts(std::vector<boost::asio::io_context*> all) : all_(std::move(all)) {}
  const std::vector<boost::asio::io_context*>& all() const { return all_; }

 private:
  std::vector<boost::asio::io_context*> all_;
};

class Port : public std::enable_shared_from_this<Port> {
 public:
  using MakeConnection =
      std::function<std::shared_ptr<PortConnection>(TcpSocket, std::shared_ptr<Peer>)>;

  // Accepts from the moment the io_context runs. `port` 0 takes a free one; `least_timeout` is the
  // shortest of the connections' deadlines. Fails with BAD_REQUEST when the address cannot be used,
  // saying which and why.
  static Result<std::shared_ptr<Port>> listen(const IoContexts& io, const std::string& host,
                                              std::uint16_t port,
                                              std::shared_ptr<PortShared> shared,
                                              std::chrono::milliseconds least_timeout,
                                              MakeConnection make_connection);

  std::uint16_t number() const { return number_; }
  // Any thread, more than once: listens no more, and closes every connection (on the io threads, so
  // they are gone when these have run on or the io_context is destroyed).
  void stop();

  // For listen().
  Port(const IoContexts& io, std::shared_ptr<PortShared> shared,
       std::chrono::milliseconds least_timeout, MakeConnection make_connection);

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Strand>;
  using Timer = boost::asio::basic_waitable_timer<
      std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Strand>;

  boost::system::error_code open(const boost::asio::ip::tcp::endpoint& endpoint);
  void start();
  void accept();
  void accepted(TcpSocket socket);
  TcpSocket deal_out(TcpSocket socket, const boost::asio::ip::tcp& protocol);
  bool make_room(const Peer& newcomer);
  template <typename Whose>
  bool newest_gives_way(std::string_view reason, const Whose& whose);
  void sweep();

  const std::vector<boost::asio::io_context*> io_;
  std::size_t turn_ = 0;
  Strand strand_;
  Acceptor acceptor_;
  Timer sweep_timer_;
  Timer accept_timer_;
  const std::shared_ptr<PortShared> shared_;
  const std::chrono::milliseconds sweep_interval_;
  const MakeConnection make_connection_;
  std::uint16_t number_ = 0;

  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<PortConnection>> connections_;  // in the order they came
  std::uint64_t accepted_ = 0;
  bool stopped_ = false;
};

}  // namespace weir
