#include "jobqueue/time.h"

#include <utility>

namespace weir {

std::string format_duration(DurationMs duration_ms) {
  if (duration_ms == kNever) return "never";
  if (duration_ms == 0) return "0s";
  constexpr std::pair<DurationMs, const char*> kUnits[] = {
      {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}};
  for (const auto& [unit, letter] : kUnits) {
    if (duration_ms % unit == 0) return std::to_string(duration_ms / unit) + letter;
  }
  return std::to_string(duration_ms) + "ms";
}

}  // namespace weir
