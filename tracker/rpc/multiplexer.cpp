#include "tracker/rpc/multiplexer.h"

#include <fmt/format.h>
#include <thrift/TApplicationException.h>
#include <thrift/processor/TMultiplexedProcessor.h>

#include <string_view>

namespace weir {

using apache::thrift::TApplicationException;
using apache::thrift::protocol::StoredMessageProtocol;
using apache::thrift::protocol::TMessageType;
using apache::thrift::protocol::TProtocol;

void AsyncMultiplexer::add(const std::string& service, std::shared_ptr<TAsyncProcessor> processor) {
  services_[service] = std::move(processor);
}

void AsyncMultiplexer::set_default(std::shared_ptr<TAsyncProcessor> processor) {
  default_ = std::move(processor);
}

void AsyncMultiplexer::process(std::function<void(bool success)> done,
                               std::shared_ptr<TProtocol> in, std::shared_ptr<TProtocol> out) {
  std::string name;
  TMessageType type{};
  int32_t sequence = 0;
  in->readMessageBegin(name, type, sequence);

  const size_t colon = name.find(':');
  TAsyncProcessor* processor = nullptr;
  if (colon == std::string::npos) {
    processor = default_.get();
  } else if (const auto found = services_.find(std::string_view(name).substr(0, colon));
             found != services_.end()) {
    processor = found->second.get();
  }
  const std::string method = colon == std::string::npos ? name : name.substr(colon + 1);
  if (processor != nullptr) {
    // The service's processor reads the head of the message again: with the service's name taken
    // off.
    auto stored = std::make_shared<StoredMessageProtocol>(in, method, type, sequence);
    return processor->process(std::move(done), std::move(stored), std::move(out));
  }

  in->skip(apache::thrift::protocol::T_STRUCT);
  in->readMessageEnd();
  const TApplicationException error(TApplicationException::UNKNOWN_METHOD,
                                    unknown_service_message(name));
  out->writeMessageBegin(method, apache::thrift::protocol::T_EXCEPTION, sequence);
  error.write(out.get());
  out->writeMessageEnd();
  done(true);
}

std::string AsyncMultiplexer::unknown_service_message(const std::string& method) const {
  std::string known;
  for (const auto& [name, processor] : services_) known += (known.empty() ? "" : ", ") + name;
  return fmt::format("'{}': no such service; call service:method, services are: {}", method, known);
}

}  // namespace weir
