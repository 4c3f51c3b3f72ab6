// FramedServer listens on one port and serves framed Thrift (strict binary protocol) to an
// asynchronous processor: no thread per connection, no thread waits. The processor runs on the
// io_context's threads and may call back later, from any thread; replies leave in the order of
// their calls, connection by connection. Whatever is malformed, too large, too slow or too much is
// dropped, counted by cause and logged at most ten times a second, and costs nobody else anything:
// see limits.h, connection.h. No address and no user costs another his place: tracker/port.
//
// One io thread is meant, several are safe (a strand per connection). The io_context must outlive
// the server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "jobqueue/model/result.h"
#include "tracker/port/port.h"
#include "tracker/rpc/connection.h"
#include "tracker/rpc/limits.h"

namespace weir {

class FramedServer {
 public:
  // `name` is the subject of log lines ("tracker port"). `port` 0 takes a free one. Serves from the
  // moment the io_context runs. Fails with BAD_REQUEST when the address cannot be used, saying
  // which and why.
  static Result<std::unique_ptr<FramedServer>> listen(
      const IoContexts& io, std::string name, const std::string& host, uint16_t port,
      std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor, ServerLimits limits,
      std::shared_ptr<ByteBudget> budget);
  FramedServer(const FramedServer&) = delete;
  FramedServer& operator=(const FramedServer&) = delete;
  // Stops. Answers of calls that are still worked on may come afterwards: they have no effect.
  ~FramedServer();

  uint16_t port() const;
  const Refusals& refusals() const;
  size_t connections() const;
  const ByteBudget& budget() const;
  const CallCounters& calls() const;
  // Any thread, more than once: listens no more, delivers no reply any more, and closes every
  // connection (on the io threads, so connections are gone when these have run on or the io_context
  // is destroyed).
  void stop();

 private:
  FramedServer(std::shared_ptr<ServerShared> shared, std::shared_ptr<Port> port)
      : shared_(std::move(shared)), port_(std::move(port)) {}

  const std::shared_ptr<ServerShared> shared_;
  const std::shared_ptr<Port> port_;
};

}  // namespace weir
