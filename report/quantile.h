// Percentiles by nearest rank: the same for every table, report and summary. Pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "jobqueue/model/time.h"

namespace weir::report {

// Of times in ascending order, at least one.
inline DurationMs percentile(const std::vector<DurationMs>& sorted, std::size_t percent) {
  const std::size_t place = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(place, 1) - 1];
}

}  // namespace weir::report
