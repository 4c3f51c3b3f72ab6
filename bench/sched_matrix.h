// Several loads in one go: repetitions are interleaved (every load once, then again), so that a
// machine that slows down slows all alike, and what is compared are medians and ratios of one run.
// The table of spec sizes, the bars that the project has set itself, and what the original Java
// schedulers did on such a machine stand here as data. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/sched_bench.h"

namespace weir::bench {

struct SchedRow {
  SchedLoad load;
  SchedFigures figures;  // medians
  std::vector<SchedFigures> runs;
};

// The sizes of the table, first all of W, then, of slots, all of W'. Cluster and policy are those
// of `base`.
std::vector<SchedLoad> table_loads(const SchedLoad& base);

// What is being run, and how much of everything is done.
using MatrixProgress = std::function<void(const SchedLoad& load, double part)>;
Result<std::vector<SchedRow>> run_rows(const std::vector<SchedLoad>& loads, double seconds,
                                       std::uint32_t repetitions, const MatrixProgress& progress);

// Tasks a second of the original at that size (Java 17, decision alone), if it was measured.
std::optional<double> published_java(const SchedLoad& load);

struct Bar {
  std::string what;
  double measured = 0;
  double wanted = 0;
  bool at_least = true;  // or at most
  bool met() const { return at_least ? measured >= wanted : measured <= wanted; }
};
// The bars that these rows can tell about.
std::vector<Bar> bars(const std::vector<SchedRow>& rows);

}  // namespace weir::bench
