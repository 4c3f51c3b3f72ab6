// What durability costs, measured on a real JobTracker in a process of its own, over real sockets
// and on a real disk: acknowledged submissions a second of many clients, each of which waits for
// one answer before it asks again; and how long after its start a JobTracker with a large store
// takes a heartbeat. Makes its files in a directory of its own and removes them. One thread, which
// starts one more for each client.
#pragma once

#include <cstdint>
#include <string>

#include "cli/interrupt.h"

namespace weir::cli {

struct StoreBenchOptions {
  std::string directory;  // existing; the store's disk is what is measured
  std::uint32_t clients = 16;
  double seconds = 5;  // of submitting
  std::uint32_t unfinished_jobs = 100'000;
  std::uint32_t finished_tasks = 1'000'000;  // of those jobs, evenly
};

struct SubmissionFigures {
  std::uint64_t acknowledged = 0;
  double seconds = 0;
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};
// Throws CliFailure if the JobTracker does not start or refuses a submission.
SubmissionFigures bench_submissions(const StoreBenchOptions& options, InterruptScope& interrupt);

struct RestartFigures {
  double store_mb = 0;
  double heartbeat_seconds = 0;  // from the start of the process to the first accepted heartbeat
  double launch_seconds = 0;     // to the first task that is launched
  double resident_mb = 0;        // of the JobTracker then
};
RestartFigures bench_restart(const StoreBenchOptions& options, InterruptScope& interrupt);

}  // namespace weir::cli
