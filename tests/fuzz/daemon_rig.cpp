#include "fuzz/daemon_rig.h"

#include <thrift/TConfiguration.h>

#include <future>
#include <thread>

#include "conf/policies.h"
#include "jobqueue/model/check.h"
#include "tracker/jobtracker/admin_service.h"
#include "tracker/jobtracker/client_service.h"
#include "tracker/jobtracker/tracker_service.h"
#include "tracker/rpc/multiplexer.h"

namespace weir::fuzz {
namespace {

constexpr TimeMs kStart = 1'000'000;

std::shared_ptr<const Settings> settings() {
  static const Loaded loaded = [] {
    auto read = load_settings_text("fuzz.yaml",
                                   "policy: capacity\nadministrators: [root]\n"
                                   "queues:\n"
                                   "  - {name: default, guaranteed: 60%}\n"
                                   "  - {name: small, guaranteed: 40%, reclaim_after: 1s}\n");
    WEIR_CHECK(read.ok(), "the rig's settings");
    return std::move(*read);
  }();
  return std::make_shared<Settings>(loaded.settings);
}

std::shared_ptr<const JobSpec> job_of_alice() {
  JobSpec spec;
  spec.name = "first";
  spec.user = "alice";
  spec.queue = "default";
  spec.input_files = {"/data/in"};
  for (std::int64_t i = 0; i < 3; ++i) spec.splits.push_back({0, i * 10, 10, {"tt1"}});
  spec.output = "/data/out";
  spec.mapper = spec.reducer = "cat";
  return std::make_shared<const JobSpec>(std::move(spec));
}

ServerFacts facts() {
  ServerFacts facts;
  facts.version = "fuzz";
  facts.frames_refused = [] { return std::int64_t{0}; };
  facts.tracker_port = facts.client_port = [] { return 1; };
  facts.http = [] { return std::optional<std::string>(); };
  return facts;
}

}  // namespace

DaemonRig::DaemonRig(Port port)
    : frame_limit_(port == Port::kTrackers ? 256 << 10 : 16 << 20), facts_(facts()) {
  auto engine = Engine::create(settings(), policy_factory(), Snapshot{}, kStart);
  WEIR_CHECK(engine.ok(), "the rig's engine");
  EngineLoop::Options options;
  options.publish_gap_ms = options.unread_gap_ms = 0;
  loop_ = std::make_unique<EngineLoop>(
      std::move(*engine), *store_, TimeSource(kStart),
      [this](std::function<void()> work) { worker_.run(std::move(work)); }, options);
  if (port == Port::kTrackers) {
    processor_ = std::make_shared<wire::TrackerServiceAsyncProcessor>(
        std::make_shared<TrackerService>(*loop_));
  } else {
    jobs_ = std::make_unique<JobService>(*loop_, history_);
    cluster_ = std::make_unique<ClusterService>(*loop_, facts_);
    settings_ = std::make_unique<SettingsService>(*loop_, worker_, history_, facts_, notices_,
                                                  file_);
    auto client = std::make_shared<wire::ClientServiceAsyncProcessor>(
        std::make_shared<ClientService>(*loop_, *jobs_));
    auto services = std::make_shared<AsyncMultiplexer>();
    services->add("client", client);
    auto admin = std::make_shared<wire::AdminServiceAsyncProcessor>(
        std::make_shared<AdminService>(*cluster_, *settings_));
    services->add("admin", admin);
    services->set_default(client);
    processor_ = std::move(services);
  }
  const int limit = static_cast<int>(frame_limit_);
  configuration_ = std::make_shared<apache::thrift::TConfiguration>(limit, limit);
  in_buffer_ = std::make_shared<FrameBuffer>(0, configuration_);
  in_protocol_ = std::make_shared<FrameProtocol>(in_buffer_, frame_limit_);
  begin();
}

void DaemonRig::begin() {
  RegisterTracker tracker;
  tracker.name = tracker.host = "tt1";
  tracker.incarnation = 1;
  tracker.shuffle_port = 4000;
  tracker.total = Resources{{2, 2, 0, 0}};
  loop_->post(std::move(tracker), [](const EngineLoop::ReplyBody&, std::int64_t) {});
  loop_->post(SubmitJob{{"alice", {}}, job_of_alice()},
              [](const EngineLoop::ReplyBody& reply, std::int64_t) {
                WEIR_CHECK(std::holds_alternative<Submitted>(reply), "the rig's job");
              });
  settle();
}

void DaemonRig::settle() {
  for (bool settled = false; !settled;) {
    std::promise<bool> looked;
    loop_->query([&looked](const Result<EngineLoop::Inside>& inside) {
      looked.set_value(!inside || inside->engine->durable_seq() >= inside->engine->last_seq());
    });
    settled = looked.get_future().get();
    if (!settled) std::this_thread::yield();
  }
}

void DaemonRig::receive(std::string_view bytes) {
  for (;;) {
    const FrameHead head = inspect_frame(bytes, frame_limit_);
    if (head.kind != FrameHead::Kind::kFrame) return;
    if (!call(bytes.substr(kFrameHeaderBytes, head.total_bytes - kFrameHeaderBytes))) return;
    bytes.remove_prefix(head.total_bytes);
    settle();
  }
}

bool DaemonRig::call(std::string_view message) {
  std::string_view method;
  std::int32_t sequence = 0;
  if (!parse_call_head(message, &method, &sequence)) return false;
  auto call = std::make_shared<Call>(configuration_, frame_limit_);
  call->reply.method = method;
  call->reply.call_sequence = sequence;
  call->reply.buffer->begin_frame();
  in_buffer_->observe(message);
  auto healthy = std::make_shared<std::atomic<bool>>(true);
  try {
    processor_->process(
        [call, healthy](bool fine) {
          WEIR_CHECK(call->answers.fetch_add(1) == 0, "a call is answered once");
          healthy->store(fine);
          if (fine) (void)call->reply.buffer->finish_frame();
        },
        in_protocol_, call->reply.protocol);
  } catch (const apache::thrift::protocol::TProtocolException&) {
    return false;
  } catch (const apache::thrift::transport::TTransportException&) {
    return false;
  } catch (const std::exception& error) {
    // The server would answer INTERNAL_ERROR: no input should get that far.
    WEIR_CHECK(false, error.what());
  }
  if (!*healthy) return false;
  calls_.push_back(std::move(call));
  return true;
}

DaemonRig::~DaemonRig() {
  loop_->stop();
  worker_.stop();
  history_.stop();
  for (const auto& call : calls_) WEIR_CHECK(call->answers == 1, "every call is answered");
}

}  // namespace weir::fuzz
