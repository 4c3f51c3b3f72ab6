// Whether what is on the disk is what the live engine believes to be durable: jobs with their
// states, places and priorities, what of them is done, who may publish, settings, policy, queues.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/snapshot.h"

namespace weir::faults {

// The first difference found. Nothing may be on its way to the store meanwhile.
std::optional<std::string> durable_difference(const Engine& engine, const Snapshot& stored);

}  // namespace weir::faults
