// Serves this tracker's map outputs to reducers and its attempts' logs to people (protocol:
// shuffle_protocol.h). One thread with an Asio loop of its own, so that neither disk nor network
// here holds up the agent. Everything is bounded: connections, request size, time between requests
// and to take bytes. What is not a request drops the connection and is counted. start() and stop()
// belong to the owner's thread; counters may be read from any.
#pragma once

#include <atomic>
#include <utility>  // boost 1.74 forgets it

#include <boost/asio.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "jobqueue/result.h"
#include "tracker/tasktracker/work_dirs.h"

namespace weir::tasktracker {

struct ShuffleServerOptions {
  WorkDirs dirs;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  std::size_t max_connections = 512;
  std::int64_t idle_ms = 30000;
};

class ShuffleServer {
 public:
  explicit ShuffleServer(ShuffleServerOptions options);
  ~ShuffleServer();

  Result<std::uint16_t> start();  // the port
  void stop();
  std::int64_t dropped() const { return dropped_.load(); }

 private:
  class Session;
  void accept();

  ShuffleServerOptions options_;
  std::size_t connections_ = 0;  // before io_, whose end destroys the sessions that count here
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer accept_pause_{io_};
  std::atomic<std::int64_t> dropped_{0};
  std::thread thread_;
};

}  // namespace weir::tasktracker
