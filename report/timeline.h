// Slots of many queues over time in bounded memory: equal spans of time, at most so many; when more
// are needed, spans are made twice as long and pairs become one. A span holds slot-time, so that
// nothing is lost by that but detail: the sums stay exact. All queues have the same spans. One
// thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/report.h"

namespace weir::report {

inline constexpr std::size_t kMostPoints = 600;
inline constexpr std::size_t kLeastPoints = 32;
inline constexpr std::size_t kMostPointsInAll = 60'000;  // a thousand queues have fewer each

class Timeline {
 public:
  explicit Timeline(TimeMs start, DurationMs span_ms = 1000, std::size_t most = kMostPoints)
      : start_(start), span_ms_(span_ms), most_(most) {}

  // The queue had these figures from one moment to the next.
  void add(const std::string& queue, std::size_t of, TimeMs from, TimeMs to,
           const Figures& figures);
  void add(const std::string& queue, TaskKind kind, TimeMs from, TimeMs to,
           const Figures& figures) {
    add(queue, index(kind), from, to, figures);
  }
  void add_kill(const std::string& queue, TimeMs at, const std::vector<double>& wasted_slot_s);

  // Up to `end`, cut to so many points; spans of which nothing is known are empty.
  Series series(const std::string& queue, TimeMs end) const;
  std::vector<std::string> queues() const;  // that were added, by name
  // Slot-seconds: of its guarantee that others had, and beyond it.
  QueueTotals::Times lent_slot_s(const std::string& queue) const;
  QueueTotals::Times borrowed_slot_s(const std::string& queue) const;

 private:
  // Slot-milliseconds, and how many milliseconds the policy had such figures.
  struct Sums {
    double running = 0, pending = 0;
    double guaranteed = 0, allocated = 0, lent = 0, borrowed = 0, guarantee_ms = 0;
    double share = 0, share_ms = 0;
    void add(const Figures& figures, double ms);
    void add(const Sums& other);
  };
  struct Span {
    std::vector<Sums> of = std::vector<Sums>(kTaskKindCount);
    double kills = 0;
    std::vector<double> wasted_slot_s;
    void add(const Span& other);
  };
  using Spans = std::vector<Span>;

  void halve();
  void fit(TimeMs at);
  Spans& spans_of(const std::string& queue);
  Span& span(Spans& spans, std::size_t place);
  std::vector<Sums> sum(const std::string& queue) const;

  TimeMs start_;
  DurationMs span_ms_;
  std::size_t most_;
  std::size_t classes_ = kTaskKindCount;  // that were added
  std::map<std::string, Spans, std::less<>> queues_;
};

}  // namespace weir::report
