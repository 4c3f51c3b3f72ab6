// Names of what Weir itself counts of a task: what programs count has its place beside that. Pure,
// any thread.
#pragma once

namespace weir {

inline constexpr char kOwnCounters[] = "weir";  // a group
inline constexpr char kCountersOverLimit[] = "COUNTERS_OVER_LIMIT";

}  // namespace weir
