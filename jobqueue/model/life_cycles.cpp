#include "jobqueue/model/life_cycles.h"

#include <string>

#include "jobqueue/model/check.h"

namespace weir {

// As users see them.
const char* name(JobStage stage) {
  static constexpr const char* kNames[] = {"SUBMITTED", "HELD",      "WAITING", "PENDING",
                                           "RUNNING",   "SUCCEEDED", "FAILED",  "KILLED"};
  return kNames[static_cast<std::size_t>(stage)];
}

JobStage stage_of(const Job& job) {
  if (!job.durable) return JobStage::kSubmitted;
  switch (job.state) {
    case JobState::kWaiting:
      return job.held ? JobStage::kHeld : JobStage::kWaiting;
    case JobState::kRunning:
      return job.pending() ? JobStage::kPending : JobStage::kRunning;
    case JobState::kSucceeded:
      return JobStage::kSucceeded;
    case JobState::kFailed:
      return JobStage::kFailed;
    case JobState::kKilled:
      break;
  }
  return JobStage::kKilled;
}

const char* name(Task::State state) {
  static constexpr const char* kNames[] = {"PENDING", "RUNNING", "SUCCEEDED"};
  return kNames[static_cast<std::size_t>(state)];
}

// Likewise.
const char* name(AttemptState state) {
  static constexpr const char* kNames[] = {"LAUNCHING", "RUNNING", "COMMIT_PENDING", "KILLING",
                                           "SUCCEEDED", "FAILED",  "KILLED"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* name(CopyStage stage) {
  static constexpr const char* kNames[] = {"HAS_SLOTS", "COPYING", "COPIED", "GRANTED"};
  return kNames[static_cast<std::size_t>(stage)];
}

const char* name(DutyStage stage) {
  static constexpr const char* kNames[] = {"COMPLETE_DUE", "COMPLETE_OFFERED", "COMPLETE_GIVEN",
                                           "REMOVE_DUE",   "REMOVE_OFFERED",   "REMOVE_GIVEN"};
  return kNames[static_cast<std::size_t>(stage)];
}

const char* name(TrackerStage stage) {
  static constexpr const char* kNames[] = {"AWAITED", "IN_POOL", "OUT_OF_POOL", "LOST",
                                           "FORGOTTEN"};
  return kNames[static_cast<std::size_t>(stage)];
}

life::Point<TrackerStage> stage_of(const TrackerState& tracker) {
  switch (tracker.state) {
    case TrackerState::State::kNew:
      break;
    case TrackerState::State::kAwaited:
      return TrackerStage::kAwaited;
    case TrackerState::State::kLost:
      return tracker.forgotten ? TrackerStage::kForgotten : TrackerStage::kLost;
    case TrackerState::State::kLive:
      return tracker.welcome() ? TrackerStage::kInPool : TrackerStage::kOutOfPool;
  }
  return life::kOutside;
}

const char* name(ClaimStage stage) {
  static constexpr const char* kNames[] = {"OPEN", "BLOCKED", "PAUSED", "MET", "DROPPED"};
  return kNames[static_cast<std::size_t>(stage)];
}

namespace life {

void forbid(const char* cycle, const char* from, const char* to) {
  const std::string what = std::string(cycle) + ": from " + from + " to " + to +
                           " is not in its life cycle (jobqueue/model/life_cycles.h)";
  check_failed("allows(from, to)", what.c_str(), __FILE__, __LINE__);
}

namespace {

template <class State>
Drawn drawn(const LifeCycle<State>& cycle) {
  const auto label = [](std::size_t bit) {
    return (bit == 0 ? Point<State>(kOutside) : Point<State>(static_cast<State>(bit - 1))).label();
  };
  Drawn out{cycle.name(), {}};
  for (const auto& row : cycle.rows()) {
    for (std::size_t from = 0; from < kMostPoints; ++from) {
      for (std::size_t to = 0; to < kMostPoints; ++to) {
        if ((row.from.bits >> from & 1) == 0 || (row.to.bits >> to & 1) == 0) continue;
        out.edges.push_back({label(from), label(to), row.when});
      }
    }
  }
  return out;
}

}  // namespace

std::vector<Drawn> all() {
  return {drawn(kJob),  drawn(kTask),    drawn(kAttempt), drawn(kCopy),
          drawn(kDuty), drawn(kTracker), drawn(kClaim)};
}

}  // namespace life
}  // namespace weir
