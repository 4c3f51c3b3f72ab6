#include <mutex>

#include "AdminService.h"
#include "TrackerService.h"
#include "thrift/convert.h"
#include "tracker/rpc/client.h"
#include "tracker/tasktracker/jobtracker_link.h"

namespace weir::tasktracker {
namespace {

constexpr std::int32_t kLargestReply = 16 << 20;  // a job's description may list many input files
constexpr const char* kVersion = "0.1.0";
constexpr auto kCallTimeout = std::chrono::milliseconds(20'000);

class ThriftLink : public JobTrackerLink {
 public:
  ThriftLink(std::string host, std::uint16_t client_port)
      : host_(std::move(host)), client_port_(client_port) {}

  Result<Registered> register_tracker(const RegisterTracker& registration) override {
    wire::Registration sent = to_wire(registration);
    sent.__set_version(kVersion);
    return call<Registered, wire::RegistrationReply>(
        [&](auto& client, auto& reply) { client.register_tracker(reply, sent); });
  }
  Result<HeartbeatReply> heartbeat(const Heartbeat& report) override {
    return call<HeartbeatReply, wire::HeartbeatReply>(
        [sent = to_wire(report)](auto& client, auto& reply) { client.heartbeat(reply, sent); });
  }
  Result<JobDescription> job(JobId job) override {
    return call<JobDescription, wire::JobDescription>(
        [&](auto& client, auto& reply) { client.job(reply, to_wire(job)); });
  }
  Result<MapOutputs> map_outputs(JobId job, std::uint32_t first) override {
    return call<MapOutputs, wire::MapOutputs>([&](auto& client, auto& reply) {
      client.map_outputs(reply, to_wire(job), static_cast<std::int32_t>(first));
    });
  }
  Result<GangPeers> gang_peers(JobId job, std::uint32_t first) override {
    return call<GangPeers, wire::Peers>([&](auto& client, auto& reply) {
      client.gang_peers(reply, to_wire(job), static_cast<std::int32_t>(first));
    });
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

  template <class Reply, class WireReply, class Function>
  Result<Reply> call(Function function) {
    try {
      if (!client_) connect();
      WireReply reply;
      client_->call([&](auto& client) { function(client, reply); });
      return from_wire(reply);
    } catch (const wire::WeirError& refusal) {
      return from_wire(refusal);
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
