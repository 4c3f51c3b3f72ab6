// What the store keeps of the queues' figures over time (tracker/series), and of what they had
// before (tracker/past): pieces whose bytes only their owners understand. They are written behind,
// a few at a time between two groups of promises, and a piece that is written again replaces what
// it was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "jobqueue/model/time.h"

namespace weir {

// In the place of a step: what is no series. Stored: never renumber.
inline constexpr DurationMs kPastOfQueues = -1, kPastDecisions = -2, kPastOfJobs = -3,
                            kPastRun = -4;

struct SeriesRow {
  DurationMs step = 0;
  TimeMs start = 0;    // wall clock, of its first point
  std::string series;  // a queue's path
  std::string data;
  friend bool operator==(const SeriesRow&, const SeriesRow&) = default;
};

// Pieces of a step that began earlier than that may leave.
struct SeriesRetention {
  DurationMs step = 0;
  TimeMs before = 0;
  friend bool operator==(const SeriesRetention&, const SeriesRetention&) = default;
};

struct SeriesWrite {
  std::vector<SeriesRow> rows;
  std::vector<SeriesRetention> keep;
  bool empty() const { return rows.empty() && keep.empty(); }
};

using SeriesVisitor = std::function<void(const SeriesRow&)>;

}  // namespace weir
