// What a queue had over time (see job_view.h): points of one step, oldest first. Where there is no
// point, the JobTracker was down or waited for its trackers after a start, or the queue was not
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

struct SeriesView {
  // Of one class in one step: means of what was seen in it, but for claims and kills.
  struct Figures {
    std::int64_t guaranteed = 0;
    std::int64_t allocated = 0;
    std::int64_t running = 0;
    std::int64_t pending = 0;
    std::optional<std::int64_t> share_thousandths;  // under a policy with pools
    std::int64_t claims = 0;                        // the most slots that were owed to it
    std::int64_t kills = 0;                         // of its tasks, for others
    // Nothing of points that an earlier version has written.
    std::optional<std::int64_t> running_thousandths;
    std::optional<std::int64_t> lent_thousandths;      // of its guarantee, allocated to others
    std::optional<std::int64_t> borrowed_thousandths;  // ran beyond its guarantee
    friend bool operator==(const Figures&, const Figures&) = default;
  };
  struct Amounts {
    std::string dimension;
    Figures figures;
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };
  struct Point {
    std::int64_t at_ms = 0;  // where the step begins
    Figures maps;
    Figures reduces;
    std::vector<Amounts> amounts;  // where containers count, and nothing in maps and reduces
    friend bool operator==(const Point&, const Point&) = default;
  };

  std::string queue;  // dotted path
  std::int64_t step_ms = 0;
  std::vector<Point> points;  // the last one's step may not be over yet
  friend bool operator==(const SeriesView&, const SeriesView&) = default;
};

}  // namespace weir
