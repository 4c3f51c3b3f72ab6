// The blocking client: RpcConnection is one framed connection to host:port, made at the first call
// and made again at the next call after it broke; RpcClient<Client> calls one service over it (by
// its multiplexed name, or plainly). Several service clients may share a connection, and several
// threads a client: calls wait for one another. A declared exception (wire::WeirError) passes
// through; every other trouble is one RpcUnreachable that says what was tried and what came of it.
// A call is never repeated by itself: the server may have carried it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace apache::thrift {
namespace protocol {
class TProtocol;
}
namespace transport {
class TTransport;
}
}  // namespace apache::thrift

namespace weir {

class RpcUnreachable : public std::runtime_error {
 public:
  RpcUnreachable(const std::string& what, bool maybe_carried_out)
      : std::runtime_error(what), maybe_carried_out_(maybe_carried_out) {}
  // False when the call cannot have reached the server, so that it is safe to repeat it.
  bool maybe_carried_out() const { return maybe_carried_out_; }

 private:
  bool maybe_carried_out_;
};

struct RpcOptions {
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds send_timeout{30'000};
  std::chrono::milliseconds receive_timeout{60'000};
  int32_t max_frame_bytes = 16 << 20;  // of a reply
};

template <class Client>
class RpcClient;

class RpcConnection : public std::enable_shared_from_this<RpcConnection> {
 public:
  static std::shared_ptr<RpcConnection> create(std::string host, uint16_t port,
                                               RpcOptions options = {});
  ~RpcConnection();

  // A client of one service; empty `service`: the port is not multiplexed.
  template <class Client>
  RpcClient<Client> client(std::string service = "") {
    return RpcClient<Client>(shared_from_this(), std::move(service));
  }

  // "host:port", for messages.
  const std::string& address() const { return address_; }
  // Breaks the connection, and with it a call that another thread waits in; the next call connects
  // again.
  void close();

 private:
  template <class Client>
  friend class RpcClient;

  RpcConnection(std::string host, uint16_t port, RpcOptions options);
  // The next three need mutex_.
  void ensure_open();
  std::shared_ptr<apache::thrift::protocol::TProtocol> protocol(const std::string& service) const;
  void disconnect();
  // Called inside a catch of whatever a call threw: lets declared exceptions through, turns the
  // rest into RpcUnreachable, and disconnects when the stream may be out of step.
  [[noreturn]] void rethrow_as_unreachable(const std::string& service);

  const std::string host_;
  const uint16_t port_;
  const RpcOptions options_;
  const std::string address_;

  std::mutex mutex_;         // held during a call
  uint64_t generation_ = 0;  // grows with every connect: clients made for an older one are stale
  std::shared_ptr<apache::thrift::transport::TTransport> transport_;
  std::shared_ptr<apache::thrift::protocol::TProtocol> protocol_;
  std::mutex socket_mutex_;  // guards the descriptor against close() from another thread
  int descriptor_ = -1;
};

template <class Client>
class RpcClient {
 public:
  RpcClient(std::shared_ptr<RpcConnection> connection, std::string service)
      : connection_(std::move(connection)), service_(std::move(service)) {}

  // Runs `function` with the generated client and returns what it returns.
  template <class Function>
  std::invoke_result_t<Function, Client&> call(Function&& function) {
    const std::lock_guard lock(connection_->mutex_);
    connection_->ensure_open();
    try {
      if (!client_ || generation_ != connection_->generation_) {
        client_ = std::make_unique<Client>(connection_->protocol(service_));
        generation_ = connection_->generation_;
      }
      return std::forward<Function>(function)(*client_);
    } catch (...) {
      connection_->rethrow_as_unreachable(service_);
    }
  }

  RpcConnection& connection() { return *connection_; }

 private:
  std::shared_ptr<RpcConnection> connection_;
  std::string service_;
  std::unique_ptr<Client> client_;
  uint64_t generation_ = 0;
};

}  // namespace weir
