// The daemon's clock: engine time, in milliseconds since the epoch. It starts at the wall clock
// when the store is new, and otherwise where the store left off, and from there on runs with the
// steady clock: it never jumps, never goes back, and a night of downtime ages no claim and no
// stamp. After downtime it is therefore behind the wall clock; ServerInfo::now_ms tells clients
// what to subtract from. Any thread.
#pragma once

#include <algorithm>
#include <chrono>

#include "jobqueue/time.h"

namespace weir {

class TimeSource {
 public:
  explicit TimeSource(TimeMs last_stored) : base_(last_stored) {
    if (base_ == 0) base_ = wall_ms();
  }

  TimeMs now() const {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    return base_ + std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  }

 private:
  static TimeMs wall_ms() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  }

  TimeMs base_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace weir
