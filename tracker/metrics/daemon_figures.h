// What a JobTracker says of itself at one moment, besides its published views: its counters, and
// how full its queues and budgets are. Pointers are good for as long as the JobTracker.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracker/metrics/call_counters.h"
#include "tracker/metrics/engine_counters.h"
#include "tracker/metrics/http_times.h"

namespace weir {

struct PortFigures {
  std::string name;  // trackers, clients, http
  std::int64_t connections = 0;
  std::int64_t buffered_bytes = 0;
  std::int64_t buffered_bytes_limit = 0;
  std::vector<std::pair<std::string, std::int64_t>> refused;  // connections dropped, by cause
  const CallCounters* calls = nullptr;                        // may be null
  std::string (*code_name)(std::size_t) = nullptr;            // of its codes
  const HttpTimes* http = nullptr;                            // of the web port
};

struct DaemonFigures {
  std::string version;
  double started_at = 0;  // wall clock, seconds
  const EngineCounters* engine = nullptr;
  std::int64_t tracker_inputs_waiting = 0;
  std::int64_t client_requests_waiting = 0;
  std::int64_t store_events_waiting = 0;
  std::int64_t store_bytes_waiting = 0;
  bool store_failing = false;
  bool event_log_failing = false;
  std::vector<PortFigures> ports;
};

}  // namespace weir
