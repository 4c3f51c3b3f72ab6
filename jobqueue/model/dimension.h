// What resources are counted in: map slots and reduce slots, or memory, virtual cores and up to six
// further ones that the settings name. A kind of slot is the dimension of its tasks, so a TaskKind
// of MapReduce stands for it. Stored: never renumber.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "jobqueue/model/ids.h"

namespace weir {

class Dimension {
 public:
  static const Dimension kMapSlots, kReduceSlots, kMemoryMb, kVcores;

  constexpr Dimension() = default;
  constexpr Dimension(TaskKind kind) : value_(static_cast<std::uint8_t>(kind)) {}
  static constexpr Dimension at(std::size_t value) {
    Dimension d;
    d.value_ = static_cast<std::uint8_t>(value);
    return d;
  }
  static constexpr Dimension named(std::size_t number) { return at(4 + number); }

  constexpr std::size_t value() const { return value_; }
  constexpr bool is_slots() const { return value_ < kTaskKindCount; }
  constexpr bool is_named() const { return value_ >= 4; }
  constexpr TaskKind kind() const { return static_cast<TaskKind>(value_); }  // of slots
  // Among those that count together: slots, or all others.
  constexpr std::size_t place() const { return is_slots() ? value_ : value_ - kTaskKindCount; }
  friend constexpr auto operator<=>(Dimension, Dimension) = default;

 private:
  std::uint8_t value_ = 0;
};

inline constexpr Dimension Dimension::kMapSlots = Dimension::at(0);
inline constexpr Dimension Dimension::kReduceSlots = Dimension::at(1);
inline constexpr Dimension Dimension::kMemoryMb = Dimension::at(2);
inline constexpr Dimension Dimension::kVcores = Dimension::at(3);

inline constexpr std::size_t kNamedCount = 6;
inline constexpr std::size_t kDimensionCount = 4 + kNamedCount;
inline constexpr std::size_t kPlaceCount = 2 + kNamedCount;  // that may count together
inline constexpr auto kContainerDimensions = [] {
  std::array<Dimension, kPlaceCount> all;
  for (std::size_t i = 0; i < kPlaceCount; ++i) all[i] = Dimension::at(kTaskKindCount + i);
  return all;
}();

}  // namespace weir
