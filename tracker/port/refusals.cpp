#include "tracker/port/refusals.h"

#include <spdlog/spdlog.h>

namespace weir {

std::atomic<int64_t>& Refusals::of(RefusalCause cause) {
  switch (cause) {
    case RefusalCause::kOversize:
      return oversize;
    case RefusalCause::kMalformed:
      return malformed;
    case RefusalCause::kTimeout:
      return timeout;
    case RefusalCause::kOverBudget:
      return over_budget;
    case RefusalCause::kTooManyConnections:
      return too_many_connections;
  }
  return malformed;
}

int64_t Refusals::total() const {
  return oversize + malformed + timeout + over_budget + too_many_connections;
}

RefusalLog::~RefusalLog() {
  if (unlogged_ > 0) spdlog::warn("{}: and {} more dropped", server_name_, unlogged_);
}

void RefusalLog::refuse(RefusalCause cause, std::string_view peer, std::string_view what) {
  counts_.of(cause).fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  roll_window(std::chrono::steady_clock::now());
  if (lines_in_window_ >= kLinesPerSecond) {
    ++unlogged_;
    return;
  }
  ++lines_in_window_;
  spdlog::warn("{}: dropped {}: {}", server_name_, peer, what);
}

void RefusalLog::flush() {
  const std::lock_guard lock(mutex_);
  if (unlogged_ > 0) roll_window(std::chrono::steady_clock::now());
}

void RefusalLog::roll_window(std::chrono::steady_clock::time_point now) {
  if (now - window_start_ < std::chrono::seconds(1)) return;
  if (unlogged_ > 0) spdlog::warn("{}: and {} more dropped", server_name_, unlogged_);
  window_start_ = now;
  lines_in_window_ = 0;
  unlogged_ = 0;
}

}  // namespace weir
