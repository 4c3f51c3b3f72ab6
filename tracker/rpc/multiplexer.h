// AsyncMultiplexer serves several services on one port: a method called as "admin:policy" (the
// naming of Thrift's TMultiplexedProtocol) goes to the processor added as "admin", as "policy". A
// plain name goes to the default processor, if there is one. A service that does not exist is
// answered by an UNKNOWN_METHOD exception that names those that do. Services are added before the
// first call; after that any thread.
#pragma once

#include <thrift/async/TAsyncProcessor.h>

#include <map>
#include <memory>
#include <string>

namespace weir {

class AsyncMultiplexer : public apache::thrift::async::TAsyncProcessor {
 public:
  void add(const std::string& service, std::shared_ptr<TAsyncProcessor> processor);
  void set_default(std::shared_ptr<TAsyncProcessor> processor);

  using TAsyncProcessor::process;
  void process(std::function<void(bool success)> done,
               std::shared_ptr<apache::thrift::protocol::TProtocol> in,
               std::shared_ptr<apache::thrift::protocol::TProtocol> out) override;

 private:
  std::string unknown_service_message(const std::string& method) const;

  std::map<std::string, std::shared_ptr<TAsyncProcessor>, std::less<>> services_;
  std::shared_ptr<TAsyncProcessor> default_;
};

}  // namespace weir
