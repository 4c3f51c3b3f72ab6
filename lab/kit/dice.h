// Chance that is the same everywhere: std::mt19937_64 is fixed by the standard, the distributions
// of <random> are not, so bounded draws are made here. One dice belongs to one seed; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace weir {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 .. n - 1, each equally likely (draws beyond the last whole multiple are drawn again); n >= 1.
  std::int64_t below(std::int64_t n) {
    const auto bound = static_cast<std::uint64_t>(n);
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t drawn = engine_();
    while (drawn >= limit) drawn = engine_();
    return static_cast<std::int64_t>(drawn % bound);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weir
