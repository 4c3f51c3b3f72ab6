// Resources are a vector from the first day: map slots, reduce slots, memory, vcores. A dimension
// whose cluster total is 0 is ignored, so that a cluster that does not measure memory still runs
// jobs that ask for some.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "jobqueue/model/ids.h"

namespace weir {

enum class Dimension : std::uint8_t { kMapSlots = 0, kReduceSlots = 1, kMemoryMb = 2, kVcores = 3 };
inline constexpr std::size_t kDimensionCount = 4;

struct Resources {
  std::array<std::int64_t, kDimensionCount> amount{};

  std::int64_t& operator[](Dimension d) { return amount[static_cast<std::size_t>(d)]; }
  std::int64_t operator[](Dimension d) const { return amount[static_cast<std::size_t>(d)]; }
  std::int64_t slots(TaskKind kind) const { return amount[index(kind)]; }
  std::int64_t& slots(TaskKind kind) { return amount[index(kind)]; }

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);
  friend bool operator==(const Resources&, const Resources&) = default;
  bool any_negative() const;
};

// Whether `need` fits into total - used, looking only at dimensions in which `cluster` has
// anything.
bool fits(const Resources& need, const Resources& total, const Resources& used,
          const Resources& cluster);

std::string to_string(
    const Resources& r);  // "2 map slots, 1 reduce slot, 512 MB"; zero dimensions left out

}  // namespace weir
