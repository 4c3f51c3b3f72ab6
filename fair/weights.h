// What a job weighs against its neighbours: its priority's factor, and with `size_based_weight` the
// binary logarithm of 1 + its demand besides (fair.md, "Pools and shares"). Fixed point, so that
// every build decides the same. Pure; any thread.
#pragma once

#include <cstdint>

#include "jobqueue/model/job_spec.h"

namespace weir {

inline constexpr std::int64_t kJobWeightOne = 1'000'000'000;  // weights of jobs are in billionths

// 4, 2, 1, 0.5, 0.25.
std::int64_t priority_weight(Priority priority);

// log2(x) in billionths, rounded down; x >= 1.
std::int64_t log2_billionths(std::int64_t x);

// The weight before any adjuster; at least 1 billionth. `demand` in slots.
std::int64_t job_weight(Priority priority, bool size_based, std::int64_t demand);

}  // namespace weir
