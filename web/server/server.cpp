#include "web/server/server.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <mutex>

#include "web/server/connection.h"

namespace weir::web {

namespace asio = boost::asio;
using asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<tcp, HttpStrand>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, HttpStrand>;

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};  // after accept() failed

// Deadlines are noticed this much late at most.
std::chrono::milliseconds sweep_interval(const HttpLimits& limits) {
  const auto least =
      std::min({limits.read_timeout, limits.idle_timeout, limits.write_timeout, limits.heartbeat});
  return std::clamp(least / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(1000));
}

Error cannot_listen(const std::string& name, const std::string& host, std::uint16_t port,
                    const std::string& why) {
  return Error{ErrorCode::kBadRequest,
               fmt::format("{}: cannot listen on {}:{}: {}", name, host, port, why),
               "an address of this machine and a port that nobody listens on (0 = any free one)",
               {}};
}

}  // namespace

// What outlives the server object as long as handlers of its io_context refer to it.
class HttpServer::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(asio::io_context& io, std::shared_ptr<HttpShared> shared)
      : io_(io),
        strand_(asio::make_strand(io)),
        acceptor_(strand_),
        sweep_timer_(strand_),
        accept_timer_(strand_),
        shared_(std::move(shared)) {}

  boost::system::error_code open(const tcp::endpoint& endpoint) {
    boost::system::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    return error;
  }

  void start() {
    asio::post(strand_, [self = shared_from_this()] {
      self->accept();
      self->sweep();
    });
  }

  void stop();
  std::uint16_t port() const { return port_; }
  HttpShared& shared() { return *shared_; }

 private:
  void accept();
  void accepted(HttpSocket socket);
  bool make_room(const Peer& newcomer);
  void sweep();

  asio::io_context& io_;
  HttpStrand strand_;
  Acceptor acceptor_;
  Timer sweep_timer_;
  Timer accept_timer_;
  const std::shared_ptr<HttpShared> shared_;
  std::uint16_t port_ = 0;

  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<HttpConnection>> connections_;  // in the order they came
  std::uint64_t accepted_ = 0;
  bool stopped_ = false;
};

void HttpServer::Core::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(
      asio::make_strand(io_),
      asio::bind_executor(strand_, [self = shared_from_this()](
                                       const boost::system::error_code& error, HttpSocket socket) {
        if (!self->acceptor_.is_open()) return;
        if (!error) {
          self->accepted(std::move(socket));
          return self->accept();
        }
        // Trying again at once would only spin: descriptors or memory are short.
        spdlog::error("{}: cannot accept a connection: {}", self->shared_->name, error.message());
        self->accept_timer_.expires_after(kAcceptPause);
        self->accept_timer_.async_wait([self](const boost::system::error_code& cancelled) {
          if (!cancelled) self->accept();
        });
      }));
}

void HttpServer::Core::accepted(HttpSocket socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;  // it has left already
  auto peer = shared_->peers.find_or_add(peer_name(remote.address()));
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  if (shared_->connections >= shared_->limits.max_connections && !make_room(*peer)) {
    shared_->refusals.refuse(
        RefusalCause::kTooManyConnections, remote.address().to_string(),
        fmt::format("there are {} connections already, the most allowed, {} of them from there",
                    shared_->limits.max_connections, peer->connections.load()));
    return;
  }
  auto connection = std::make_shared<HttpConnection>(std::move(socket), std::move(peer), shared_);
  connections_.emplace(++accepted_, connection);
  asio::post(connection->strand(), [connection] { connection->start(); });
}

// The port is full: of the address that has most connections the newest idle one goes, or else the
// newest. Needs mutex_.
bool HttpServer::Core::make_room(const Peer& newcomer) {
  const auto most = shared_->peers.largest();
  if (!most || !gives_way(*most, newcomer)) return false;
  for (const bool idle : {true, false}) {
    for (auto at = connections_.rbegin(); at != connections_.rend(); ++at) {
      HttpConnection& connection = *at->second;
      if (&connection.peer() == most.get() && (!idle || connection.idle()) &&
          connection.give_way()) {
        return true;
      }
    }
  }
  return false;
}

// Forgets connections that are closed, and has those with a passed deadline looked at.
void HttpServer::Core::sweep() {
  {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    for (auto at = connections_.begin(); at != connections_.end();) {
      if (at->second->closed()) {
        at = connections_.erase(at);
      } else {
        at->second->expire_if_due(now);
        ++at;
      }
    }
  }
  shared_->refusals.flush();
  sweep_timer_.expires_after(sweep_interval(shared_->limits));
  sweep_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
    if (!cancelled) self->sweep();
  });
}

void HttpServer::Core::stop() {
  shared_->gate->close();
  std::map<std::uint64_t, std::shared_ptr<HttpConnection>> connections;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    connections.swap(connections_);
  }
  asio::post(strand_, [self = shared_from_this()] {
    boost::system::error_code ignored;
    self->acceptor_.close(ignored);
    self->sweep_timer_.cancel();
    self->accept_timer_.cancel();
  });
  for (auto& [number, connection] : connections) {
    asio::post(connection->strand(), [connection = connection] { connection->close(); });
  }
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& io, std::string name,
                                                       const std::string& host, std::uint16_t port,
                                                       HttpHandler handler, HttpLimits limits,
                                                       std::shared_ptr<ByteBudget> budget,
                                                       HttpObserver observer) {
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(
      host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) return cannot_listen(name, host, port, error.message());
  auto shared = std::make_shared<HttpShared>(name, limits, std::move(handler), std::move(budget),
                                             std::move(observer));
  auto core = std::make_shared<Core>(io, std::move(shared));
  error = core->open(found.begin()->endpoint());
  if (error) return cannot_listen(name, host, port, error.message());
  core->start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::~HttpServer() {
  stop();
}
std::uint16_t HttpServer::port() const {
  return core_->port();
}
const Refusals& HttpServer::refusals() const {
  return core_->shared().refusals.counts();
}
std::size_t HttpServer::connections() const {
  return core_->shared().connections.load(std::memory_order_relaxed);
}
std::size_t HttpServer::streams() const {
  return core_->shared().streams.total();
}
std::int64_t HttpServer::requests() const {
  return core_->shared().requests.load(std::memory_order_relaxed);
}
void HttpServer::stop() {
  core_->stop();
}

}  // namespace weir::web
