#include "tracker/jobtracker/daemon.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "conf/policies.h"
#include "tracker/jobtracker/admin_service.h"
#include "tracker/jobtracker/client_service.h"
#include "tracker/jobtracker/descriptors.h"
#include "tracker/jobtracker/tracker_service.h"
#include "tracker/rpc/end_guard.h"
#include "tracker/rpc/multiplexer.h"

namespace weir {
namespace {

ServerLimits limits_of(const RpcLimits& limits, std::int64_t connections,
                       std::int64_t frame_bytes) {
  ServerLimits out;
  out.max_frame_bytes = static_cast<std::uint32_t>(frame_bytes);
  out.max_connections = static_cast<std::size_t>(connections);
  out.read_timeout = std::chrono::milliseconds(limits.read_timeout_ms);
  out.idle_timeout = std::chrono::milliseconds(limits.idle_timeout_ms);
  return out;
}

// A port's part of the bytes that connections may hold. Trackers have a quarter to themselves, so
// that nothing that clients send can cost a heartbeat. One address may have half of a part, and a
// frame that is worked on counts as read and as a call: the largest must be possible.
std::shared_ptr<ByteBudget> budget_of(std::int64_t bytes, std::int64_t frame_bytes) {
  return std::make_shared<ByteBudget>(
      static_cast<std::size_t>(std::max(bytes, 4 * frame_bytes + (64 << 10))));
}

// The clocks of this start, which the store knows before anything is stamped by them.
Result<TimeSource> note_start(Store& store, TimeMs last_stored) {
  constexpr std::string_view kKey = "wall_clock";
  const auto stored = store.get_meta(kKey);
  if (!stored) return stored.error();
  auto starts = WallClock::read(stored->value_or(""));
  if (!starts) return starts.error();
  TimeSource time(last_stored, std::move(*starts));
  if (Status noted = store.set_meta(kKey, time.wall().text()); !noted) return noted.error();
  return time;
}

}  // namespace

void JobTracker::IoThread::start() {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), name_);
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception& e) {
        spdlog::error("{}: {}", name_, e.what());  // one call is lost, the port goes on
      }
    }
  });
}

void JobTracker::IoThread::stop() {
  if (!thread_.joinable()) return;
  work_.reset();
  io_.stop();
  thread_.join();
}

Result<std::unique_ptr<JobTracker>> JobTracker::start(JobTrackerParts parts) {
  std::unique_ptr<JobTracker> tracker(new JobTracker());
  auto time = note_start(*parts.store, parts.snapshot.last_time);
  if (!time) return time.error();
  parts.snapshot.downtimes = time->wall().downtimes();
  auto engine =
      Engine::create(parts.settings, policy_factory(), std::move(parts.snapshot), time->now());
  if (!engine) return engine.error();
  tracker->store_ = std::move(parts.store);
  auto past = load_past(*tracker->store_, EngineLoop::first_decision(**engine));
  if (!past) return past.error();
  Past::Queues stored = past->queues;
  tracker->history_ = std::make_unique<HistoryReader>(*tracker->store_);
  Worker& worker = tracker->worker_;
  parts.loop.max_trackers = static_cast<std::size_t>(parts.daemon.limits.max_trackers);
  parts.loop.store_path = parts.daemon.store_path;
  tracker->loop_ = std::make_unique<EngineLoop>(
      std::move(*engine), *tracker->store_, std::move(*time),
      [&worker](std::function<void()> work) { worker.run(std::move(work)); }, parts.loop,
      std::move(past).value());
  EngineLoop& loop = *tracker->loop_;
  tracker->series_ = std::make_unique<SeriesKeeper>(SeriesKeeper::Parts{
      .views = &loop.views(),
      .decisions = &loop.decisions(),
      .store = tracker->store_.get(),
      .room = [&loop] { return loop.room_for_series(); },
      .write = [&loop](SeriesWrite write) { loop.put_series(std::move(write)); }});
  tracker->past_ = std::make_unique<PastKeeper>(
      PastKeeper::Parts{.views = &loop.views(),
                        .decisions = &loop.decisions(),
                        .room = [&loop] { return loop.room_for_series(); },
                        .write = [&loop](SeriesWrite write) { loop.put_series(std::move(write)); }},
      std::move(stored));
  tracker->make_services(parts);
  if (parts.before_listening) parts.before_listening(*tracker);
  Status open = tracker->listen(parts.daemon);
  if (open) open = tracker->open_front(parts);
  if (!open) {
    tracker->stop();
    return open.error();
  }
  return tracker;
}

void JobTracker::make_services(const JobTrackerParts& parts) {
  facts_.version = WEIR_VERSION;
  facts_.store = parts.daemon.store_path;
  facts_.daemon = parts.file_daemon.value_or(parts.daemon);
  facts_.started_at = loop_->time().wall_now();
  facts_.frames_refused = [this] { return frames_refused(); };
  facts_.tracker_port = [this] { return tracker_port(); };
  facts_.client_port = [this] { return client_port(); };
  facts_.http = [this, listens = parts.daemon.listen_http]() -> std::optional<std::string> {
    const int port = front_port();
    if (port == 0 || !listens) return std::nullopt;
    return format_address({listens->host, static_cast<std::uint16_t>(port)});
  };
  jobs_ = std::make_unique<JobService>(*loop_, *history_);
  cluster_ = std::make_unique<ClusterService>(*loop_, facts_);
  settings_ = std::make_unique<SettingsService>(*loop_, worker_, *history_, facts_, notices_,
                                                file_);
}

Status JobTracker::open_front(const JobTrackerParts& parts) {
  if (!parts.make_front) return Ok{};
  auto front = parts.make_front(*this);
  if (!front) return front.error();
  front_ = std::move(*front);
  front_port_ = front_->port();
  return Ok{};
}

Status JobTracker::listen(const DaemonSettings& daemon) {
  const RpcLimits& limits = daemon.limits;
  const std::int64_t connections = affordable_connections(limits.max_connections);
  const std::int64_t trackers_bytes = limits.buffered_bytes / 4;

  // The io_contexts run only once both servers are made: nobody sees half of a JobTracker.
  std::vector<boost::asio::io_context*> tracker_io;
  for (auto& thread : tracker_io_) {
    thread = std::make_unique<IoThread>("tracker port");
    tracker_io.push_back(&thread->io());
  }
  client_io_ = std::make_unique<IoThread>("client port");
  auto trackers = FramedServer::listen(IoContexts(std::move(tracker_io)), "tracker port",
                                       daemon.listen_trackers.host, daemon.listen_trackers.port,
                                       std::make_shared<wire::TrackerServiceAsyncProcessor>(
                                           std::make_shared<TrackerService>(*loop_)),
                                       limits_of(limits, connections, limits.tracker_frame_bytes),
                                       budget_of(trackers_bytes, limits.tracker_frame_bytes));
  if (!trackers) return trackers.error();
  trackers_ = std::move(*trackers);

  const auto client = std::make_shared<wire::ClientServiceAsyncProcessor>(
      std::make_shared<ClientService>(*loop_, *jobs_));
  const auto admin = std::make_shared<wire::AdminServiceAsyncProcessor>(
      std::make_shared<AdminService>(*cluster_, *settings_));
  auto services = std::make_shared<AsyncMultiplexer>();
  services->add("client", client);
  services->add("admin", admin);
  services->set_default(client);
  auto clients = FramedServer::listen(
      client_io_->io(), "client port", daemon.listen_thrift.host, daemon.listen_thrift.port,
      services, limits_of(limits, connections, limits.client_frame_bytes),
      budget_of(limits.buffered_bytes - trackers_bytes, limits.client_frame_bytes));
  if (!clients) return clients.error();
  clients_ = std::move(*clients);
  for (auto& thread : tracker_io_) thread->start();
  client_io_->start();
  return Ok{};
}

std::int64_t JobTracker::frames_refused() const {
  std::int64_t total = 0;
  if (trackers_) total += trackers_->refusals().total();
  if (clients_) total += clients_->refusals().total();
  return total;
}

JobTracker::~JobTracker() {
  stop();
}

void JobTracker::stop() {
  if (stopped_) return;
  stopped_ = true;
  EndGuard guard("jobtracker");
  // First the answers, then the ports they leave by.
  guard.at("the series");
  if (series_) series_->stop();
  guard.at("the past");
  if (past_) past_->stop();
  guard.at("the store");
  if (loop_) loop_->stop();
  guard.at("readers of the store");
  worker_.stop();
  if (history_) history_->stop();
  guard.at("its ports");
  if (front_) front_->stop();
  if (trackers_) trackers_->stop();
  if (clients_) clients_->stop();
  for (auto& thread : tracker_io_) {
    if (thread) thread->stop();
  }
  if (client_io_) client_io_->stop();
}

}  // namespace weir
