#include "jobqueue/model/terms.h"

#include <cstddef>

#include "jobqueue/model/job_state.h"

namespace weir {

const char* name(JobState state) {
  static constexpr const char* kNames[] = {"WAITING", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* name(Locality locality) {
  static constexpr const char* kNames[] = {"node", "rack", "any"};
  return kNames[static_cast<std::size_t>(locality)];
}

const char* name(KillReason reason) {
  static constexpr const char* kNames[] = {
      "reclaim",      "min_share",  "fair_share", "job_killed", "speculative",
      "tracker_lost", "job_failed", "unknown",    "no_room",    "tracker_stopped",
      "gang",         "time_limit", "own_maps"};
  return kNames[static_cast<std::size_t>(reason)];
}

const char* name(TrackerOrder order) {
  static constexpr const char* kNames[] = {"none", "drain", "stop", "stop now"};
  return kNames[static_cast<std::size_t>(order)];
}

}  // namespace weir
