// What a JobTracker says of itself to /metrics.
#include "tracker/jobtracker/daemon.h"
#include "tracker/rpc/answer_code.h"

namespace weir {
namespace {

PortFigures figures_of(const char* name, const FramedServer& port) {
  PortFigures out;
  out.name = name;
  out.connections = static_cast<std::int64_t>(port.connections());
  out.buffered_bytes = static_cast<std::int64_t>(port.budget().used());
  out.buffered_bytes_limit = static_cast<std::int64_t>(port.budget().limit());
  const Refusals& refused = port.refusals();
  out.refused = {{"oversize", refused.oversize},
                 {"malformed", refused.malformed},
                 {"timeout", refused.timeout},
                 {"over_budget", refused.over_budget},
                 {"too_many_connections", refused.too_many_connections}};
  out.calls = &port.calls();
  out.code_name = &answer_code_name;
  return out;
}

}  // namespace

DaemonFigures JobTracker::figures() const {
  DaemonFigures out;
  out.version = WEIR_VERSION;
  const TimeSource& time = loop_->time();
  out.started_at = static_cast<double>(time.wall().at(time.started())) / 1'000;
  out.engine = &loop_->counters();
  const EngineLoop::Waiting waiting = loop_->waiting();
  out.tracker_inputs_waiting = static_cast<std::int64_t>(waiting.tracker_inputs);
  out.client_requests_waiting = static_cast<std::int64_t>(waiting.client_requests);
  out.store_events_waiting = static_cast<std::int64_t>(waiting.store_events);
  out.store_bytes_waiting = static_cast<std::int64_t>(waiting.store_bytes);
  out.store_failing = loop_->store_error().has_value();
  out.event_log_failing = loop_->event_log_error().has_value();
  if (trackers_) out.ports.push_back(figures_of("trackers", *trackers_));
  if (clients_) out.ports.push_back(figures_of("clients", *clients_));
  return out;
}

}  // namespace weir
