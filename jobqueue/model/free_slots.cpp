#include "jobqueue/model/free_slots.h"

#include <utility>

namespace weir {

void FreeSlots::count(TaskKind kind, std::int64_t free, int sign) {
  if (free == 0) return;
  total_[index(kind)] += sign * free;
  auto& trackers = trackers_[index(kind)];
  if (std::cmp_greater_equal(free, trackers.size()))
    trackers.resize(static_cast<std::size_t>(free) + 1);
  trackers[static_cast<std::size_t>(free)] += sign;
}

std::int64_t FreeSlots::trackers_with(TaskKind kind, std::int64_t slots) const {
  const auto& trackers = trackers_[index(kind)];
  std::int64_t sum = 0;
  for (auto free = static_cast<std::size_t>(slots); free < trackers.size(); ++free)
    sum += trackers[free];
  return sum;
}

std::int64_t FreeSlots::total_for(TaskKind kind, std::int64_t width) const {
  const auto& trackers = trackers_[index(kind)];
  std::int64_t slots = 0;
  for (auto free = static_cast<std::size_t>(width); free < trackers.size(); ++free)
    slots += trackers[free] * (static_cast<std::int64_t>(free) / width * width);
  return slots;
}

}  // namespace weir
