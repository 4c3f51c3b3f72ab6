#include "jobqueue/model/time.h"

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

std::string short_duration(DurationMs duration_ms) {
  const auto two = [](std::int64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  if (duration_ms < 0) return "0ms";
  if (duration_ms < 1000) return std::to_string(duration_ms) + "ms";
  if (duration_ms < 10000)
    return std::to_string(duration_ms / 1000) + "." + std::to_string(duration_ms / 100 % 10) + "s";
  const std::int64_t seconds = duration_ms / 1000;
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m" + two(seconds % 60) + "s";
  if (seconds < 86400) return std::to_string(seconds / 3600) + "h" + two(seconds % 3600 / 60) + "m";
  return std::to_string(seconds / 86400) + "d" + two(seconds % 86400 / 3600) + "h";
}

}  // namespace weir
