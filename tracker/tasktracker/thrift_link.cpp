#include <mutex>

#include "AdminService.h"
#include "TrackerService.h"
#include "tracker/rpc/client.h"
#include "tracker/tasktracker/jobtracker_link.h"

namespace weir::tasktracker {
namespace {

constexpr std::int32_t kLargestReply = 16 << 20;  // a job's description may list many input files
constexpr auto kCallTimeout = std::chrono::milliseconds(20'000);

class ThriftLink : public JobTrackerLink {
 public:
  ThriftLink(std::string host, std::uint16_t client_port)
      : host_(std::move(host)), client_port_(client_port) {}

  Result<wire::RegistrationReply> register_tracker(
      const wire::Registration& registration) override {
    return call<wire::RegistrationReply>(
        [&](auto& client, auto& reply) { client.register_tracker(reply, registration); });
  }
  Result<wire::HeartbeatReply> heartbeat(const wire::Heartbeat& report) override {
    return call<wire::HeartbeatReply>(
        [&](auto& client, auto& reply) { client.heartbeat(reply, report); });
  }
  Result<wire::JobDescription> job(std::int64_t job) override {
    return call<wire::JobDescription>([&](auto& client, auto& reply) { client.job(reply, job); });
  }
  Result<wire::MapOutputs> map_outputs(std::int64_t job, std::int32_t first) override {
    return call<wire::MapOutputs>(
        [&](auto& client, auto& reply) { client.map_outputs(reply, job, first); });
  }
  void close() override {
    std::shared_ptr<RpcConnection> open;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      open = connection_;
    }
    if (open) open->close();
  }

 private:
  using Client = RpcClient<wire::TrackerServiceClient>;

  static RpcOptions options() {
    RpcOptions options;
    options.send_timeout = options.receive_timeout = kCallTimeout;
    options.max_frame_bytes = kLargestReply;
    return options;
  }

  // False once closed.
  bool use(std::shared_ptr<RpcConnection> connection) {
    const std::lock_guard lock(mutex_);
    connection_ = std::move(connection);
    return !closed_;
  }

  void connect() {
    auto ask = RpcConnection::create(host_, client_port_, options());
    if (!use(ask)) throw RpcUnreachable("closed", false);
    wire::ServerInfo info;
    ask->client<wire::AdminServiceClient>("admin").call([&](auto& client) { client.info(info); });
    auto connection =
        RpcConnection::create(host_, static_cast<std::uint16_t>(info.tracker_port), options());
    if (!use(connection)) throw RpcUnreachable("closed", false);
    client_ = std::make_unique<Client>(connection->client<wire::TrackerServiceClient>());
  }

  template <class Reply, class Function>
  Result<Reply> call(Function function) {
    try {
      if (!client_) connect();
      Reply reply;
      client_->call([&](auto& client) { function(client, reply); });
      return reply;
    } catch (const wire::WeirError& refusal) {
      Error error;
      error.code = static_cast<ErrorCode>(refusal.code);
      error.message = refusal.message;
      error.hint = refusal.hint;
      return error;
    } catch (const std::exception& problem) {
      // The JobTracker may come back with another tracker port: ask again.
      client_.reset();
      return Error{.code = ErrorCode::kInternal, .message = problem.what()};
    }
  }

  const std::string host_;
  const std::uint16_t client_port_;
  std::unique_ptr<Client> client_;  // of the calling thread
  std::mutex mutex_;
  std::shared_ptr<RpcConnection> connection_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<JobTrackerLink> make_thrift_link(std::string host, std::uint16_t client_port) {
  return std::make_unique<ThriftLink>(std::move(host), client_port);
}

}  // namespace weir::tasktracker
