// Time in the core is a number that inputs carry: milliseconds since the Unix epoch, monotone.
// Nothing here reads a clock.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

using TimeMs = std::int64_t;
using DurationMs = std::int64_t;
inline constexpr DurationMs kNever = INT64_MAX;

// `by` after `at`; never, if either is.
constexpr TimeMs later(TimeMs at, DurationMs by) {
  return at == kNever || by == kNever ? kNever : at + by;
}

std::string format_duration(DurationMs duration_ms);  // in the largest unit that is exact: 90m
std::string short_duration(DurationMs duration_ms);   // as people read it: 350ms 4.2s 3m20s 2h05m

}  // namespace weir
