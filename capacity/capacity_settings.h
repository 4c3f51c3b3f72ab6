// The `capacity:` section of the settings: how the capacity policy redistributes and reclaims. What
// a queue is guaranteed stands with the queue (jobqueue/model/settings.h), because every policy
// looks at the same queues.
#pragma once

#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"
#include "jobqueue/policy/locality_delay.h"

namespace weir {

// A task that was preempted so often is killed for others last.
inline constexpr std::uint8_t kOftenPreempted = 3;

struct CapacitySettings : PolicySettings {
  enum class RedistributeBy : std::uint8_t { kGuaranteed, kWaitingJobs, kDemand };
  enum class Preemption : std::uint8_t { kOn, kLogOnly, kOff };
  DurationMs interval_ms = 1000;
  RedistributeBy redistribute_by = RedistributeBy::kGuaranteed;
  Preemption preemption = Preemption::kOn;
  LocalityDelaySettings locality_delay;
};

// The section, or the defaults.
CapacitySettings capacity_settings(const Settings& settings);

}  // namespace weir
