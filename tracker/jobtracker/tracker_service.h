// What trackers call. Each call is checked and converted on the io thread and posted to the engine;
// its reply is converted and written on the engine's thread. A heartbeat costs no lookup, no lock
// but the queue's, and no wait.
#pragma once

#include "TrackerService.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {

class TrackerService final : public wire::TrackerServiceCobSvIf {
 public:
  template <class Value>
  using Give = std::function<void(const Value&)>;
  using Refuse = std::function<void(apache::thrift::TDelayedException*)>;

  explicit TrackerService(EngineLoop& loop) : loop_(loop) {}

  void register_tracker(Give<wire::RegistrationReply> give, Refuse refuse,
                        const wire::Registration& registration) override;
  void heartbeat(Give<wire::HeartbeatReply> give, Refuse refuse,
                 const wire::Heartbeat& report) override;
  void job(Give<wire::JobDescription> give, Refuse refuse, const std::int64_t job) override;
  void map_outputs(Give<wire::MapOutputs> give, Refuse refuse, const std::int64_t job,
                   const std::int32_t first) override;
  void gang_peers(Give<wire::Peers> give, Refuse refuse, const std::int64_t job,
                  const std::int32_t first) override;

 private:
  EngineLoop& loop_;
};

}  // namespace weir
