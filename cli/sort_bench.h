// How fast a real job sorts, on a real JobTracker and a real TaskTracker with as many slots as were
// asked for, beside sort(1) with the same memory: the same file, in turns. Map and reduce are
// `cat`, so what is measured is the way of the data. Each part of the output must be sorted, and
// parts together be the records of the input. Hash partitions are not ranges: with several reduces
// the parts are not one file in order, as sort's is; with one reduce there is one. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/interrupt.h"

namespace weir::cli {

struct SortBenchOptions {
  std::string directory;  // existing; input, outputs, temporary files and store are below it
  std::int64_t bytes = 2'000'000'000;
  std::int64_t memory_mb = 512;  // of sort; of the tasks that run at once, together
  std::uint32_t slots = 2;       // for maps, and as many for reduces
  std::uint32_t reduces = 2;
  std::int64_t split_bytes = 64 << 20;
  std::string codec;  // of map outputs; empty: the tracker's own
  std::uint32_t turns = 5;
};

struct SortTurn {
  double job_seconds = 0;  // from its submission until it has succeeded
  double sort_seconds = 0, synced_sort_seconds = 0;
  double job_cpu_seconds = 0, sort_cpu_seconds = 0;
};

// Throws CliFailure if something does not start, does not succeed, or has sorted wrongly.
std::vector<SortTurn> bench_sort(const SortBenchOptions& options, InterruptScope& interrupt,
                                 const std::function<void(const std::string&)>& says);

}  // namespace weir::cli
