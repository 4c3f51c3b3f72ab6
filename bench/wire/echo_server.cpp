#include "bench/wire/echo_server.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>

#include <memory>
#include <utility>

#include "TrackerService.h"

namespace weir::bench {
namespace {

namespace thrift = apache::thrift;

class Echo : public wire::TrackerServiceNull {
 public:
  void heartbeat(wire::HeartbeatReply& reply, const wire::Heartbeat& report) override {
    reply.interval_ms = 3'000;
    for (const wire::AttemptStatus& attempt : report.attempts) {
      if (attempt.state != wire::AttemptState::SUCCEEDED) continue;
      reply.acknowledged.push_back(attempt.id);
      wire::Launch& launch = reply.launch.emplace_back();
      launch.id = attempt.id;
      launch.id.attempt = attempt.id.attempt + 1;
      wire::Split split;
      split.file = 0;
      split.offset = std::int64_t{64} * attempt.id.index;
      split.length = 64;
      launch.__set_split(split);
    }
  }
};

class Listening : public thrift::server::TServerEventHandler {
 public:
  Listening(std::shared_ptr<thrift::transport::TServerSocket> socket,
            std::function<void(std::uint16_t)> say)
      : socket_(std::move(socket)), say_(std::move(say)) {}
  void preServe() override { say_(static_cast<std::uint16_t>(socket_->getPort())); }

 private:
  std::shared_ptr<thrift::transport::TServerSocket> socket_;
  std::function<void(std::uint16_t)> say_;
};

}  // namespace

void serve_echo(const std::function<void(std::uint16_t port)>& listening) {
  auto socket = std::make_shared<thrift::transport::TServerSocket>("127.0.0.1", 0);
  thrift::server::TThreadedServer server(
      std::make_shared<wire::TrackerServiceProcessor>(std::make_shared<Echo>()), socket,
      std::make_shared<thrift::transport::TFramedTransportFactory>(),
      std::make_shared<thrift::protocol::TBinaryProtocolFactory>());
  server.setServerEventHandler(std::make_shared<Listening>(socket, listening));
  server.serve();
}

}  // namespace weir::bench
