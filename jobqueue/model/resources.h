// Resources are a vector: map slots, reduce slots, memory, vcores, and what the settings name. A
// dimension whose cluster total is 0 is ignored where slots count, so that a cluster that does not
// measure memory still runs jobs that ask for some (Space::looked_at).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "jobqueue/model/dimension.h"

namespace weir {

struct Resources {
  std::array<std::int64_t, kDimensionCount> amount{};

  std::int64_t& operator[](Dimension d) { return amount[d.value()]; }
  std::int64_t operator[](Dimension d) const { return amount[d.value()]; }
  std::int64_t slots(TaskKind kind) const { return amount[index(kind)]; }
  std::int64_t& slots(TaskKind kind) { return amount[index(kind)]; }

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);
  friend bool operator==(const Resources&, const Resources&) = default;
  bool any_negative() const;
};

// Whether `need`, which has nothing from `end` on, fits into total - used, looking only at
// dimensions in which `looked_at` has anything.
inline bool fits(const Resources& need, const Resources& total, const Resources& used,
                 const Resources& looked_at, std::size_t end = kDimensionCount) {
  for (std::size_t i = 0; i < end; ++i) {
    if (need.amount[i] != 0 && looked_at.amount[i] != 0 &&
        used.amount[i] + need.amount[i] > total.amount[i])
      return false;
  }
  return true;
}

// "2 map slots, 1 reduce slot, 512 MB"; zero dimensions and named resources left out.
std::string to_string(const Resources& r);

}  // namespace weir
