#include "tracker/rpc/client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <thrift/TApplicationException.h>
#include <thrift/protocol/TMultiplexedProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include "tracker/rpc/frame.h"

namespace weir {

using apache::thrift::TApplicationException;
using apache::thrift::TConfiguration;
using apache::thrift::protocol::TMultiplexedProtocol;
using apache::thrift::protocol::TProtocol;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::transport::TFramedTransport;
using apache::thrift::transport::TSocket;
using apache::thrift::transport::TTransportException;

namespace {

// A reply is read once its frame is here, so it can be said how much of it is left.
class ReplyTransport : public TFramedTransport {
 public:
  using TFramedTransport::TFramedTransport;
  std::size_t available_read() const { return static_cast<std::size_t>(rBound_ - rBase_); }
};

}  // namespace

std::shared_ptr<RpcConnection> RpcConnection::create(std::string host, uint16_t port,
                                                     RpcOptions options) {
  quiet_thrift_output();
  return std::shared_ptr<RpcConnection>(new RpcConnection(std::move(host), port, options));
}

RpcConnection::RpcConnection(std::string host, uint16_t port, RpcOptions options)
    : host_(std::move(host)),
      port_(port),
      options_(options),
      address_(fmt::format("{}:{}", host_, port_)) {}

RpcConnection::~RpcConnection() {
  disconnect();
}

void RpcConnection::ensure_open() {
  if (transport_) return;
  auto configuration = std::make_shared<TConfiguration>();
  configuration->setMaxFrameSize(options_.max_frame_bytes);
  auto socket = std::make_shared<TSocket>(host_, port_, configuration);
  socket->setConnTimeout(static_cast<int>(options_.connect_timeout.count()));
  socket->setSendTimeout(static_cast<int>(options_.send_timeout.count()));
  socket->setRecvTimeout(static_cast<int>(options_.receive_timeout.count()));
  socket->setNoDelay(true);
  try {
    socket->open();
  } catch (const TTransportException& error) {
    throw RpcUnreachable(fmt::format("cannot connect to {}: {}", address_, error.what()), false);
  }
  // A frame that was cut off leaves bytes in the framed transport, so a new socket gets a new one.
  auto framed = std::make_shared<ReplyTransport>(socket, configuration);
  protocol_ = std::make_shared<BoundedProtocol<ReplyTransport>>(
      framed, static_cast<std::uint32_t>(options_.max_frame_bytes));
  transport_ = std::move(framed);
  ++generation_;
  const std::lock_guard lock(socket_mutex_);
  descriptor_ = socket->getSocketFD();
}

std::shared_ptr<TProtocol> RpcConnection::protocol(const std::string& service) const {
  if (service.empty()) return protocol_;
  return std::make_shared<TMultiplexedProtocol>(protocol_, service);
}

void RpcConnection::disconnect() {
  {
    const std::lock_guard lock(socket_mutex_);
    descriptor_ = -1;
  }
  // Dropping the socket closes it; close() of the framed transport would first send what is left in
  // it.
  protocol_.reset();
  transport_.reset();
  ++generation_;
}

void RpcConnection::close() {
  const std::lock_guard lock(socket_mutex_);
  if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
}

void RpcConnection::rethrow_as_unreachable(const std::string& service) {
  const std::string where = service.empty() ? address_ : address_ + " (" + service + ")";
  try {
    throw;
  } catch (const TTransportException& error) {
    disconnect();
    throw RpcUnreachable(
        fmt::format("connection to {} broke during a call: {}", where, error.what()), true);
  } catch (const TProtocolException& error) {
    disconnect();
    throw RpcUnreachable(
        fmt::format("{} sent a reply that cannot be read: {}", where, error.what()), true);
  } catch (const TApplicationException& error) {
    const auto type = error.getType();
    if (type != TApplicationException::UNKNOWN_METHOD &&
        type != TApplicationException::INTERNAL_ERROR && type != TApplicationException::UNKNOWN) {
      disconnect();
    }
    if (type == TApplicationException::UNKNOWN_METHOD) {
      throw RpcUnreachable(fmt::format("{} does not know this call ({}); what is meant is the port "
                                       "for clients, listen.thrift of the settings",
                                       where, error.what()),
                           false);
    }
    throw RpcUnreachable(fmt::format("{} could not answer: {}", where, error.what()), true);
  }
}

}  // namespace weir
