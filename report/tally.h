// The books that a report is made of, while what it is about is told piece by piece: slots over
// time, totals by queue, who lost tasks to whom, the slowest jobs. Whoever tells knows where it
// comes from: a simulated run, or a JobTracker's answers. Equal jobs and kills have an order of
// their own, so the same story makes the same report in whatever order it is told. Memory is
// bounded by the queues and by one number a job. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "report/report.h"
#include "report/timeline.h"

namespace weir::report {

inline constexpr std::size_t kSlowestJobs = 25;

class Tally {
 public:
  explicit Tally(TimeMs start, DurationMs span_ms = 1000) : timeline_(start, span_ms) {}

  Timeline& timeline() { return timeline_; }
  void add_cluster(std::size_t of, TimeMs from, TimeMs to, const Figures& figures);
  void add_cluster(TaskKind kind, TimeMs from, TimeMs to, const Figures& figures) {
    add_cluster(index(kind), from, to, figures);
  }
  // That the queue used, of one class.
  void add_use(const std::string& queue, std::size_t of, double slot_s);
  // A queue that is known has a row, whatever happened in it.
  QueueTotals& totals(const std::string& queue);
  // A job is over, with everything that is told of it.
  void add_end(const SlowJob& job);
  // A task was killed for somebody else.
  struct Kill {
    std::string victim, claimant, reason;
    TimeMs at = 0;
    std::vector<double> wasted_slot_s = {};  // of each class
  };
  void add_kill(const Kill& kill);

  // The books are closed: series up to `end`, and the rest, put into the report.
  void hand_over(TimeMs end, Report& report);

 private:
  Timeline timeline_;
  std::map<std::string, QueueTotals> totals_;
  std::map<std::tuple<std::string, std::string, std::string>, Kills> kills_;
  std::vector<SlowJob> slowest_;
};

}  // namespace weir::report
