// What the engine's events mean for the counters (tracker/metrics). Engine's thread.
#pragma once

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/event.h"
#include "tracker/metrics/engine_counters.h"

namespace weir {

// `told`: it is news (an attempt that was killed as ordered has been told of before).
void count_event(EngineCounters& counters, const Event& event, const Engine& engine, bool told);

}  // namespace weir
