// Percentiles by nearest rank: the same for every table, report, summary and benchmark. Pure
// functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir::report {

// The place, counted from 0, among so many in ascending order; there is at least one.
constexpr std::size_t percentile_place(std::size_t count, std::size_t percent) {
  return std::max<std::size_t>((count * percent + 99) / 100, 1) - 1;
}

// Of values in ascending order; a zero, if there are none.
template <class Value>
Value percentile(const std::vector<Value>& sorted, std::size_t percent) {
  return sorted.empty() ? Value{} : sorted[percentile_place(sorted.size(), percent)];
}

}  // namespace weir::report
