// Serves this tracker's map outputs to reducers and its attempts' logs to people (protocol:
// shuffle_protocol.h). One thread with an Asio loop of its own, so that neither disk nor network
// here holds up the agent. Everything is bounded: connections, request size, time between requests,
// to take bytes, and to take all of an answer. What is not a request drops the connection and is
// counted. start() and stop() belong to the owner's thread; counters may be read from any.
//
// When there are as many connections as may be, a newcomer costs the address that has most of them
// the one that has waited longest for a request, which is asked for anew when it is needed; and if
// none of it waits, and the newcomer's address has fewer, the one that was asked longest ago.
// Without any such the newcomer is closed: its peer comes again.
#pragma once

#include <atomic>
#include <utility>  // boost 1.74 forgets it

#include <boost/asio.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/port/peers.h"
#include "tracker/tasktracker/shuffle_protocol.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

struct ShuffleServerOptions {
  WorkDirs dirs;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  std::size_t max_connections = 512;
  std::int64_t idle_ms = 30000;
  std::int64_t slowest_bytes_per_second = kSlowestBytesPerSecond;
};

class ShuffleServer {
 public:
  explicit ShuffleServer(ShuffleServerOptions options);
  ~ShuffleServer();

  Result<std::uint16_t> start();  // the port
  void stop();
  std::int64_t dropped() const { return dropped_.load(); }
  std::int64_t crowded_out() const { return crowded_out_.load(); }  // to make room, or for want

 private:
  class Session;
  void accept();
  void accepted(boost::asio::ip::tcp::socket socket);
  bool make_room(const Peer& newcomer);

  ShuffleServerOptions options_;
  // Before io_, whose end destroys the sessions that stand here.
  PeerTable peers_;
  std::vector<Session*> sessions_;
  std::uint64_t steps_ = 0;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer accept_pause_{io_};
  std::atomic<std::int64_t> dropped_{0};
  std::atomic<std::int64_t> crowded_out_{0};
  std::thread thread_;
};

}  // namespace weir::tasktracker
