// What the tests of the JobTracker share: settings from YAML, a temporary directory, jobs, a
// JobTracker in this process, and a tracker that is played by the test over a real socket.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "AdminService.h"
#include "ClientService.h"
#include "TrackerService.h"
#include "conf/load.h"
#include "conf/policies.h"
#include "jobqueue/store/sqlite_store.h"
#include "thrift/convert.h"
#include "thrift/spec_codec.h"
#include "tracker/jobtracker/daemon.h"
#include "tracker/rpc/client.h"

namespace weir {

class TempDir {
 public:
  TempDir() {
    std::string name = std::filesystem::temp_directory_path() / "weir-jt-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline Loaded make_loaded(const std::string& more = "") {
  auto loaded = load_settings_text("test.yaml",
                                   "policy: fifo\nadministrators: [root]\n"
                                   "listen: {thrift: '127.0.0.1:0'}\n"
                                   "queues:\n"
                                   "  - {name: default, guaranteed: 60%}\n"
                                   "  - {name: small, guaranteed: 40%, submit: [carol]}\n" +
                                       more);
  if (!loaded) ADD_FAILURE() << loaded.error().message;
  return std::move(*loaded);
}

inline JobSpec make_spec(std::uint32_t maps, std::uint32_t reduces, const std::string& output) {
  JobSpec spec;
  spec.name = "test";
  spec.user = "alice";
  spec.queue = "default";
  spec.input_files = {"/data/in"};
  for (std::uint32_t i = 0; i < maps; ++i) spec.splits.push_back({0, i * 10, 10, {}});
  spec.output = output;
  spec.mapper = "cat";
  spec.reducer = reduces > 0 ? "cat" : "";
  spec.reduces = reduces;
  return spec;
}

inline wire::SubmitRequest make_request(std::uint32_t maps, std::uint32_t reduces,
                                        const std::string& output) {
  wire::SubmitRequest request;
  request.caller.user = "alice";
  request.spec = to_wire(make_spec(maps, reduces, output));
  return request;
}

inline std::unique_ptr<Store> memory_store() {
  return make_memory_store({encode_job_spec, decode_job_spec});
}

inline std::unique_ptr<JobTracker> start_tracker(std::unique_ptr<Store> store,
                                                 EngineLoop::Options options = {},
                                                 const std::string& more = "") {
  Loaded loaded = make_loaded(more);
  loaded.daemon.listen_trackers = {"127.0.0.1", 0};
  auto snapshot = store->load();
  if (!snapshot) ADD_FAILURE() << snapshot.error().message;
  auto tracker = JobTracker::start({.store = std::move(store),
                                    .snapshot = std::move(*snapshot),
                                    .settings = std::make_shared<Settings>(loaded.settings),
                                    .daemon = loaded.daemon,
                                    .loop = options});
  if (!tracker) ADD_FAILURE() << tracker.error().message;
  return std::move(*tracker);
}

using ClientCalls = RpcClient<wire::ClientServiceClient>;
using AdminCalls = RpcClient<wire::AdminServiceClient>;

inline std::shared_ptr<RpcConnection> connect(int port) {
  return RpcConnection::create("127.0.0.1", static_cast<std::uint16_t>(port));
}

inline wire::JobStatus status_of(ClientCalls& client, std::int64_t job, std::int64_t version = 0) {
  return client.call([&](auto& c) {
    wire::JobStatus status;
    c.job_status(status, job, version);
    return status;
  });
}

// Runs everything it is told at once: each heartbeat reports what the last reply ordered as done.
class FakeTracker {
 public:
  FakeTracker(int port, std::string name)
      : calls_(connect(port)->client<wire::TrackerServiceClient>()), name_(std::move(name)) {}

  void join() {
    wire::Registration registration;
    registration.name = name_;
    registration.incarnation = 1;
    registration.host = "127.0.0.1";
    registration.shuffle_port = 4000;
    registration.total.__set_map_slots(2);
    registration.total.__set_reduce_slots(2);
    calls_.call([&](auto& c) {
      wire::RegistrationReply reply;
      c.register_tracker(reply, registration);
    });
  }

  wire::HeartbeatReply beat() {
    wire::Heartbeat report;
    report.name = name_;
    report.incarnation = 1;
    report.sequence = ++sequence_;
    for (const auto& [name, status] : held_) report.attempts.push_back(status);
    if (!duties_.empty()) report.__set_duties(duties_);
    wire::HeartbeatReply reply;
    calls_.call([&](auto& c) { c.heartbeat(reply, report); });
    obey(reply);
    return reply;
  }

  // Beats until the job is over; its last status.
  wire::JobStatus run(ClientCalls& client, std::int64_t job) {
    for (int i = 0; i < 3000; ++i) {
      beat();
      wire::JobStatus status = status_of(client, job);
      const bool goes_on = status.state == "RUNNING" || status.state == "PENDING";
      if (!goes_on && status.state != "WAITING") return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ADD_FAILURE() << "the job did not end";
    return {};
  }

 private:
  static std::string key(const wire::AttemptId& id) {
    return std::to_string(id.job) + "/" + std::to_string(id.kind) + "/" + std::to_string(id.index) +
           "/" + std::to_string(id.attempt);
  }

  void obey(const wire::HeartbeatReply& reply) {
    for (const auto& id : reply.acknowledged) held_.erase(key(id));
    for (const auto& id : reply.kill) held_[key(id)] = status(id, wire::AttemptState::KILLED);
    for (const auto& id : reply.commit) held_[key(id)] = status(id, wire::AttemptState::SUCCEEDED);
    for (const auto& launch : reply.launch) {
      const bool shuffled = launch.id.kind == wire::TaskKind::MAP && reduces_of(launch.id.job) > 0;
      held_[key(launch.id)] = status(
          launch.id, shuffled ? wire::AttemptState::SUCCEEDED : wire::AttemptState::COMMIT_PENDING);
    }
    duties_.clear();
    for (const auto& duty : reply.duties) {
      wire::DutyReport done;
      done.job = duty.job;
      done.ok = true;
      duties_.push_back(done);
    }
  }

  int reduces_of(std::int64_t job) {
    if (const auto known = reduces_.find(job); known != reduces_.end()) return known->second;
    wire::JobDescription description;
    calls_.call([&](auto& c) { c.job(description, job); });
    return reduces_[job] = description.spec.reduces;
  }

  static wire::AttemptStatus status(const wire::AttemptId& id, wire::AttemptState::type state) {
    wire::AttemptStatus status;
    status.id = id;
    status.state = state;
    status.progress_millionths = 1'000'000;
    status.phase = wire::TaskPhase::COMMIT;
    return status;
  }

  RpcClient<wire::TrackerServiceClient> calls_;
  std::string name_;
  std::int64_t sequence_ = 0;
  std::map<std::string, wire::AttemptStatus> held_;
  std::vector<wire::DutyReport> duties_;
  std::map<std::int64_t, int> reduces_;
};

}  // namespace weir
