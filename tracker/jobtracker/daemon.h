// The JobTracker as one object: the engine's thread, the store's writer, a worker, the history's
// reader, the services, and the ways in to them: one io thread for each of the two ports (trackers,
// clients) and whatever the front brings. Put together in the order in which they need each other
// and taken apart in reverse. main.cpp makes one of a settings file; tests make several in one
// process.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "conf/daemon_settings.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/store/store.h"
#include "tracker/jobtracker/cluster_service.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/front.h"
#include "tracker/jobtracker/history_reader.h"
#include "tracker/jobtracker/job_service.h"
#include "tracker/jobtracker/server_facts.h"
#include "tracker/jobtracker/settings_service.h"
#include "tracker/jobtracker/worker.h"
#include "tracker/metrics/daemon_figures.h"
#include "tracker/rpc/server.h"
#include "tracker/series/series_keeper.h"

namespace weir {

class JobTracker;

struct JobTrackerParts {
  std::unique_ptr<Store> store;
  Snapshot snapshot;  // what the store's load() gave
  std::shared_ptr<const Settings> settings;
  DaemonSettings daemon;
  std::optional<DaemonSettings> file_daemon;  // before the command line overrode some of it
  EngineLoop::Options loop;
  // What is posted here comes before whatever clients and trackers say.
  std::function<void(JobTracker&)> before_listening;
  // A further way in (front.h), once the ports listen; empty: none.
  std::function<Result<std::unique_ptr<Front>>(JobTracker&)> make_front;
};

class JobTracker {
 public:
  // Serves when it returns. Errors: settings that do not fit the stored jobs (SETTINGS_REFUSED,
  // UNKNOWN_POLICY), a port that is in use (BAD_REQUEST).
  static Result<std::unique_ptr<JobTracker>> start(JobTrackerParts parts);
  ~JobTracker();  // as stop()
  JobTracker(const JobTracker&) = delete;
  JobTracker& operator=(const JobTracker&) = delete;

  int client_port() const { return clients_ ? clients_->port() : 0; }
  int tracker_port() const { return trackers_ ? trackers_->port() : 0; }
  int front_port() const { return front_port_; }  // 0: there is none
  EngineLoop& loop() { return *loop_; }
  HistoryReader& history() { return *history_; }
  JobService& jobs() { return *jobs_; }
  ClusterService& cluster() { return *cluster_; }
  SettingsService& settings() { return *settings_; }
  const ServerFacts& facts() const { return facts_; }
  Notices& notices() { return notices_; }
  FollowedFile& followed_file() { return file_; }
  // The queues' figures over time.
  const SeriesKeeper& series() const { return *series_; }
  // For /metrics; any thread. Without the HTTP port, which is not this room's.
  DaemonFigures figures() const;

  // Answers everybody, writes what was promised, closes the ports. Once.
  void stop();

 private:
  // One brings a heartbeat to the engine while the other reads and writes.
  static constexpr std::size_t kTrackerThreads = 2;
  // An io_context and the thread that runs it.
  class IoThread {
   public:
    explicit IoThread(const char* name) : name_(name) {}
    ~IoThread() { stop(); }
    boost::asio::io_context& io() { return io_; }
    void start();
    void stop();

   private:
    const char* name_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    std::thread thread_;
  };

  JobTracker() = default;
  void make_services(const JobTrackerParts& parts);
  Status listen(const DaemonSettings& daemon);
  Status open_front(const JobTrackerParts& parts);
  std::int64_t frames_refused() const;

  std::unique_ptr<Store> store_;
  Notices notices_;
  FollowedFile file_;
  ServerFacts facts_;
  Worker worker_;
  std::unique_ptr<HistoryReader> history_;
  std::unique_ptr<EngineLoop> loop_;
  std::unique_ptr<JobService> jobs_;
  std::unique_ptr<ClusterService> cluster_;
  std::unique_ptr<SettingsService> settings_;
  std::unique_ptr<SeriesKeeper> series_;
  std::unique_ptr<PastKeeper> past_;
  std::array<std::unique_ptr<IoThread>, kTrackerThreads> tracker_io_;
  std::unique_ptr<IoThread> client_io_;
  std::unique_ptr<FramedServer> trackers_;
  std::unique_ptr<FramedServer> clients_;
  std::unique_ptr<Front> front_;
  std::atomic<int> front_port_{0};  // asked as soon as the other ports listen
  bool stopped_ = false;
};

}  // namespace weir
