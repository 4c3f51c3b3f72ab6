// The states of a job. WAITING: over a running-jobs limit. RUNNING: its tasks may be launched. The
// rest are ends. Stored: never renumber.
#pragma once

#include <cstdint>

namespace weir {

enum class JobState : std::uint8_t {
  kWaiting = 0,
  kRunning = 1,
  kSucceeded = 2,
  kFailed = 3,
  kKilled = 4
};
const char* name(JobState state);  // "WAITING"
constexpr bool is_over(JobState state) {
  return state >= JobState::kSucceeded;
}

}  // namespace weir
