#include "tracker/rpc/server.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>

namespace weir {

namespace {

void deliver(std::shared_ptr<Exchange> exchange, bool more) {
  const auto connection = exchange->connection.lock();
  if (!connection) return;
  boost::asio::dispatch(connection->strand(),
                        [connection, exchange = std::move(exchange), more]() mutable {
                          connection->finish(std::move(exchange), more);
                        });
}

}  // namespace

Result<std::unique_ptr<FramedServer>> FramedServer::listen(
    const IoContexts& io, std::string name, const std::string& host, uint16_t port,
    std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor, ServerLimits limits,
    std::shared_ptr<ByteBudget> budget) {
  quiet_thrift_output();
  Mailboxes mailboxes;
  for (boost::asio::io_context* each : io.all())
    mailboxes.emplace(each, std::make_shared<Mailbox>(*each, deliver));
  const auto shared = std::make_shared<ServerShared>(name, limits, std::move(processor),
                                                     std::move(budget), std::move(mailboxes));
  auto listening = Port::listen(
      io, host, port, shared,
      std::min({limits.read_timeout, limits.idle_timeout, limits.write_timeout}),
      [shared](TcpSocket socket, std::shared_ptr<Peer> peer) {
        return std::make_shared<Connection>(std::move(socket), std::move(peer), shared);
      });
  if (!listening.ok()) return listening.error();
  return std::unique_ptr<FramedServer>(new FramedServer(shared, std::move(listening).value()));
}

FramedServer::~FramedServer() {
  stop();
}
uint16_t FramedServer::port() const {
  return port_->number();
}
const Refusals& FramedServer::refusals() const {
  return shared_->refusals.counts();
}
size_t FramedServer::connections() const {
  return shared_->connections.load(std::memory_order_relaxed);
}
const ByteBudget& FramedServer::budget() const {
  return *shared_->budget;
}
const CallCounters& FramedServer::calls() const {
  return shared_->calls;
}
void FramedServer::stop() {
  for (const auto& [io, mailbox] : shared_->mailboxes) mailbox->close();
  port_->stop();
}

}  // namespace weir
