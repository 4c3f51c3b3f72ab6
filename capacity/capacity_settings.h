// The `capacity:` section of the settings: how the capacity policy redistributes and reclaims. What
// a queue is guaranteed stands with the queue (jobqueue/settings.h), because every policy looks at
// the same queues.
#pragma once

#include "jobqueue/locality_delay.h"
#include "jobqueue/settings.h"
#include "jobqueue/time.h"

namespace weir {

struct CapacitySettings : PolicySettings {
  enum class RedistributeBy : std::uint8_t { kGuaranteed, kWaitingJobs, kDemand };
  enum class Preemption : std::uint8_t { kOn, kLogOnly, kOff };
  DurationMs interval_ms = 1000;
  RedistributeBy redistribute_by = RedistributeBy::kGuaranteed;
  Preemption preemption = Preemption::kOn;
  LocalityDelaySettings locality_delay;
};

}  // namespace weir
