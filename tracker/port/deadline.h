// A point in time that its owner sets and others compare with now, without a timer: whoever sweeps
// over thousands of them asks only whether they have passed. One thread sets it, any may look.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace weir {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  void set_in(std::chrono::milliseconds timeout) { set(Clock::now() + timeout); }
  void clear() { at_.store(0, std::memory_order_relaxed); }
  bool is_set() const { return at_.load(std::memory_order_relaxed) != 0; }
  bool passed(Clock::time_point now) const {
    const std::int64_t at = at_.load(std::memory_order_relaxed);
    return at != 0 && now.time_since_epoch().count() >= at;
  }

 private:
  void set(Clock::time_point at) {
    at_.store(at.time_since_epoch().count(), std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> at_{0};  // nanoseconds; 0: none
};

}  // namespace weir
