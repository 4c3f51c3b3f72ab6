#include "tracker/port/port.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

namespace weir {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr std::chrono::milliseconds kAcceptPause{
    100};  // after accept() failed, e.g. out of descriptors

Error cannot_listen(const std::string& name, const std::string& host, std::uint16_t port,
                    const std::string& why) {
  return Error{ErrorCode::kBadRequest,
               fmt::format("{}: cannot listen on {}:{}: {}", name, host, port, why),
               "an address of this machine and a port that nobody listens on (0 = any free one)",
               {}};
}
}  // namespace

// Deadlines are noticed a quarter of the shortest late at most.
Port::Port(const IoContexts& io, std::shared_ptr<PortShared> shared,
           std::chrono::milliseconds least_timeout, MakeConnection make_connection)
    : io_(io.all()),
      strand_(asio::make_strand(*io_.front())),
      acceptor_(strand_),
      sweep_timer_(strand_),
      accept_timer_(strand_),
      shared_(std::move(shared)),
      sweep_interval_(std::clamp(least_timeout / 4, std::chrono::milliseconds(5),
                                 std::chrono::milliseconds(1000))),
      make_connection_(std::move(make_connection)) {}

Result<std::shared_ptr<Port>> Port::listen(const IoContexts& io, const std::string& host,
                                           std::uint16_t port, std::shared_ptr<PortShared> shared,
                                           std::chrono::milliseconds least_timeout,
                                           MakeConnection make_connection) {
  const std::string name = shared->name;
  boost::system::error_code error;
  tcp::resolver resolver(*io.all().front());
  const auto found = resolver.resolve(
      host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) return cannot_listen(name, host, port, error.message());
  auto made =
      std::make_shared<Port>(io, std::move(shared), least_timeout, std::move(make_connection));
  error = made->open(found.begin()->endpoint());
  if (error) return cannot_listen(name, host, port, error.message());
  made->start();
  return made;
}

boost::system::error_code Port::open(const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) number_ = acceptor_.local_endpoint(error).port();
  return error;
}

void Port::start() {
  asio::post(strand_, [self = shared_from_this()] {
    self->accept();
    self->sweep();
  });
}

void Port::accept() {
  if (!acceptor_.is_open()) return;
  // Into a socket of this io_context: a pending accept must hold nothing of another one.
  acceptor_.async_accept(asio::bind_executor(
      strand_,
      [self = shared_from_this()](const boost::system::error_code& error, TcpSocket socket) {
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

void Port::accepted(TcpSocket socket) {
  boost::system::error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;  // it has left already
  auto peer = shared_->peers.find_or_add(peer_name(remote.address()));
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  if (shared_->connections >= shared_->max_connections && !make_room(*peer)) {
    shared_->refusals.refuse(
        RefusalCause::kTooManyConnections, remote.address().to_string(),
        fmt::format("there are {} connections already, the most allowed, {} of them from there",
                    shared_->max_connections, peer->connections.load()));
    return;
  }
  auto dealt = deal_out(std::move(socket), remote.protocol());
  if (!dealt.is_open()) return;
  auto connection = make_connection_(std::move(dealt), std::move(peer));
  connections_.emplace(++accepted_, connection);
  asio::post(connection->strand(), [connection] { connection->start(); });
}

// To the io_context whose turn it is; closed if that cannot watch one more.
TcpSocket Port::deal_out(TcpSocket socket, const tcp& protocol) {
  TcpSocket dealt(asio::make_strand(*io_[turn_++ % io_.size()]));
  boost::system::error_code error;
  const int fd = socket.release(error);
  if (error) return dealt;
  dealt.assign(protocol, fd, error);
  if (error) {
    spdlog::error("{}: cannot watch a connection: {}", shared_->name, error.message());
    ::close(fd);
  }
  return dealt;
}

// The port is full: a user who has more of it than a user may, or else the address that has most
// connections, makes room. Needs mutex_.
bool Port::make_room(const Peer& newcomer) {
  if (const auto user = shared_->users.largest();
      user && user_gives_way(*user, shared_->max_connections)) {
    return newest_gives_way("its user", [&](auto& each) { return each.counts_for(*user); });
  }
  const auto most = shared_->peers.largest();
  if (!most || !gives_way(*most, newcomer)) return false;
  return newest_gives_way("its address", [&](auto& each) { return &each.peer() == most.get(); });
}

// Of those connections the newest idle one goes, or else the newest: those that were there before a
// flood stay. Needs mutex_.
template <typename Whose>
bool Port::newest_gives_way(std::string_view reason, const Whose& whose) {
  for (const bool idle : {true, false}) {
    for (auto at = connections_.rbegin(); at != connections_.rend(); ++at) {
      PortConnection& connection = *at->second;
      if (whose(connection) && (!idle || connection.idle()) && connection.give_way(reason)) {
        return true;
      }
    }
  }
  return false;
}

// Forgets connections that are closed, and has those with a passed deadline looked at.
void Port::sweep() {
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
  sweep_timer_.expires_after(sweep_interval_);
  sweep_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
    if (!cancelled) self->sweep();
  });
}

void Port::stop() {
  std::map<std::uint64_t, std::shared_ptr<PortConnection>> connections;
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

}  // namespace weir
