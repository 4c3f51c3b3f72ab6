// HttpServer listens on one port and serves HTTP/1.1 by a handler: no thread per connection, no
// thread waits. The io_context's threads read and write, and compute nothing; the handler runs on
// workers and may answer later, from any thread. It knows nothing of what is served. Whatever is
// malformed, too large, too slow or too much is refused with a status that says so, counted by
// cause and logged at most ten times a second, and costs nobody else anything: see limits.h,
// connection.h, workers.h. No address and no user costs another his place: tracker/port.
//
// One io thread is enough; several may be. The io_context must outlive the server, and the workers
// end in between: stop() comes first, then theirs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "jobqueue/model/result.h"
#include "tracker/port/port.h"
#include "web/server/connection.h"
#include "web/server/limits.h"
#include "web/server/responder.h"

namespace weir::web {

class HttpServer {
 public:
  // `name` is the subject of log lines ("web port"). `port` 0 takes a free one. Serves from the
  // moment the io_context runs. Fails with BAD_REQUEST when the address cannot be used, saying
  // which and why.
  static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io, std::string name,
                                                    const std::string& host, std::uint16_t port,
                                                    HttpService service, HttpLimits limits,
                                                    std::shared_ptr<ByteBudget> budget);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Stops. Answers that come afterwards have no effect.
  ~HttpServer();

  std::uint16_t port() const;
  const Refusals& refusals() const;
  std::size_t connections() const;
  std::size_t streams() const;
  std::int64_t requests() const;
  // Any thread, more than once: listens no more, lets no answer through any more, and closes every
  // connection (on the io threads).
  void stop();

 private:
  HttpServer(std::shared_ptr<HttpShared> shared, std::shared_ptr<Port> port)
      : shared_(std::move(shared)), port_(std::move(port)) {}

  const std::shared_ptr<HttpShared> shared_;
  const std::shared_ptr<Port> port_;
};

}  // namespace weir::web
