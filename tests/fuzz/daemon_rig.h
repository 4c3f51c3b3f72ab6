// A JobTracker without sockets: the real services, engine thread, committer and readers over a
// store in memory, and the bytes of one connection fed to them as tracker/rpc/connection.cpp does:
// cut into frames, looked at, handed to the generated processor. A rig begins with a tracker "tt1"
// and job 1 of alice (three maps, one reduce) in the queue `default`. Made anew for each input, so
// that an input says everything about its effect.
#pragma once

#include <thrift/async/TAsyncProcessor.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "conf/load.h"
#include "jobqueue/store/sqlite_store.h"
#include "thrift/spec_codec.h"
#include "tracker/jobtracker/cluster_service.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/history_reader.h"
#include "tracker/jobtracker/job_service.h"
#include "tracker/jobtracker/settings_service.h"
#include "tracker/jobtracker/worker.h"
#include "tracker/rpc/exchange.h"

namespace weir::fuzz {

enum class Port { kTrackers, kClients };

class DaemonRig {
 public:
  explicit DaemonRig(Port port);
  // Answers everybody; checks that every call that could be read was answered, once.
  ~DaemonRig();
  DaemonRig(const DaemonRig&) = delete;
  DaemonRig& operator=(const DaemonRig&) = delete;

  // The bytes of a connection up to its end, or to where a server would drop it.
  void receive(std::string_view bytes);

 private:
  struct Call {
    Call(std::shared_ptr<apache::thrift::TConfiguration> configuration, std::uint32_t limit)
        : reply(std::move(configuration), limit) {}
    Exchange reply;
    std::atomic<int> answers{0};
  };

  void begin();
  // False: the server would drop the connection.
  bool call(std::string_view message);
  // Waits until the engine has done what it was told, and that is durable.
  void settle();

  const std::uint32_t frame_limit_;
  const std::unique_ptr<Store> store_ = make_memory_store({encode_job_spec, decode_job_spec});
  Worker worker_;
  const ServerFacts facts_;
  Notices notices_;
  FollowedFile file_;
  HistoryReader history_{*store_};
  std::unique_ptr<EngineLoop> loop_;
  std::unique_ptr<JobService> jobs_;
  std::unique_ptr<ClusterService> cluster_;
  std::unique_ptr<SettingsService> settings_;
  std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor_;
  std::shared_ptr<apache::thrift::TConfiguration> configuration_;
  std::shared_ptr<FrameBuffer> in_buffer_;
  std::shared_ptr<FrameProtocol> in_protocol_;
  std::vector<std::shared_ptr<Call>> calls_;  // which could be read
};

}  // namespace weir::fuzz
