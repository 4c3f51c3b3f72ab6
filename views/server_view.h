// The JobTracker as readers see it (see job_view.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weir {

struct ServerView {
  std::string version;
  std::int64_t started_at_ms = 0;
  std::int64_t now_ms = 0;
  std::int32_t trackers = 0;  // in the list, whatever their state
  std::int32_t jobs_unfinished = 0;
  std::int64_t frames_refused = 0;  // malformed, oversized, timed out, over budget
  std::string store;
  std::optional<std::string> store_error;  // while the store refuses writes
  std::int32_t tracker_port = 0;
  std::int32_t client_port = 0;
  std::optional<std::string> http;  // HOST:PORT of pages and HTTP API, if they are served
  friend bool operator==(const ServerView&, const ServerView&) = default;
};

}  // namespace weir
