// What a daemon counts of itself: counters and histograms of fixed size, which cost who counts a
// few nanoseconds (relaxed additions, no lock, no allocation) and are read by whoever likes at any
// moment. A read is no snapshot: a count and a sum may be one observation apart. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weir {

class Count {
 public:
  void add(std::int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  void set(std::int64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// How often what was observed was not above each of the bounds, which rise. The sum is kept in
// millionths, so that it needs no floating point.
class Histogram {
 public:
  static constexpr std::size_t kMostBounds = 16;
  template <std::size_t N>
  explicit Histogram(const double (&bounds)[N]) : size_(N) {
    static_assert(N <= kMostBounds);
    std::copy(bounds, bounds + N, bounds_.begin());
  }

  void observe(double value) {
    std::size_t place = 0;
    while (place < size_ && value > bounds_[place]) ++place;
    counts_[place].add();
    millionths_.add(static_cast<std::int64_t>(value * 1e6));
  }
  void observe(std::chrono::steady_clock::duration time) {
    observe(std::chrono::duration<double>(time).count());
  }

  std::size_t size() const { return size_; }
  double bound(std::size_t i) const { return bounds_[i]; }
  // In bucket i alone; i = size(): above all bounds.
  std::int64_t count(std::size_t i) const { return counts_[i].get(); }
  double sum() const { return static_cast<double>(millionths_.get()) / 1e6; }

 private:
  std::size_t size_;
  std::array<double, kMostBounds> bounds_{};
  std::array<Count, kMostBounds + 1> counts_;
  Count millionths_;
};

// Seconds. Of what should take microseconds to milliseconds, and of what jobs take.
inline constexpr double kShortTimes[] = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005,
                                         0.001,   0.0025,   0.005,   0.01,   0.025,   0.1,
                                         0.5,     2.5};
inline constexpr double kCallTimes[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                        0.025,  0.05,    0.1,    0.25,  1,      5,     30};
inline constexpr double kJobTimes[] = {1,    5,    15,   30,    60,    120,   300,
                                       600,  1800, 3600, 7200, 21600, 43200, 86400};
inline constexpr double kSizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};

}  // namespace weir
