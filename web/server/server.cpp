#include "web/server/server.h"

#include <algorithm>

namespace weir::web {

Result<std::unique_ptr<HttpServer>> HttpServer::listen(boost::asio::io_context& io,
                                                       std::string name, const std::string& host,
                                                       std::uint16_t port, HttpService service,
                                                       HttpLimits limits,
                                                       std::shared_ptr<ByteBudget> budget) {
  const auto shared =
      std::make_shared<HttpShared>(name, limits, std::move(service), std::move(budget));
  auto listening = Port::listen(
      io, host, port, shared,
      std::min({limits.read_timeout, limits.idle_timeout, limits.write_timeout, limits.heartbeat}),
      [shared](TcpSocket socket, std::shared_ptr<Peer> peer) {
        return std::make_shared<HttpConnection>(std::move(socket), std::move(peer), shared);
      });
  if (!listening.ok()) return listening.error();
  return std::unique_ptr<HttpServer>(new HttpServer(shared, std::move(listening).value()));
}

HttpServer::~HttpServer() {
  stop();
}
std::uint16_t HttpServer::port() const {
  return port_->number();
}
const Refusals& HttpServer::refusals() const {
  return shared_->refusals.counts();
}
std::size_t HttpServer::connections() const {
  return shared_->connections.load(std::memory_order_relaxed);
}
std::size_t HttpServer::streams() const {
  return shared_->streams.total();
}
std::int64_t HttpServer::requests() const {
  return shared_->requests.load(std::memory_order_relaxed);
}
void HttpServer::stop() {
  shared_->gate->close();
  port_->stop();
}

}  // namespace weir::web
