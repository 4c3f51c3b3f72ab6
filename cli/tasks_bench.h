// How fast real short tasks are, measured on a real JobTracker and a real TaskTracker, each a
// process of its own in a temporary folder: maps of one job and whole jobs a second, from the
// submission to the end, beside a bare loop that starts the same command and waits for it; and how
// long a freed slot waits for its next task, by the times that the tasks themselves write down. One
// thread, which starts one more for each client.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/interrupt.h"

namespace weir::cli {

struct TasksBenchOptions {
  std::string directory;  // existing; the work directory, outputs and store are below it
  std::string command = "/bin/true";
  std::uint32_t tasks = 2'000;
  std::uint32_t slots = 64;
  std::uint32_t turns = 5;
  double loop_seconds = 1;
  std::uint32_t jobs = 20'000;  // of one map each
  std::uint32_t clients = 16;
};

// Medians of the turns.
struct TaskFigures {
  double tasks = 0;                       // a second
  double shell_loop = 0, plain_loop = 0;  // starts a second: by the shell, as tasks are; without
  double tracker_cpu_ms = 0;              // of a task: the tracker and all its processes
  double jobtracker_cpu_ms = 0;           // likewise
};
// How long a freed slot waits.
struct SlotFigures {
  double p50_ms = 0, p90_ms = 0;
};
struct ShortJobFigures {
  double jobs = 0;            // a second, from the first submission to the last end
  double submit_seconds = 0;  // until the last was acknowledged
};

using SaysWhat = std::function<void(const std::string&)>;
// All throw CliFailure if a daemon does not start or a task does not succeed.
TaskFigures bench_tasks(const TasksBenchOptions& options, InterruptScope& interrupt,
                        const SaysWhat& says);
SlotFigures bench_slots(const TasksBenchOptions& options, bool out_of_band,
                        InterruptScope& interrupt, const SaysWhat& says);
ShortJobFigures bench_short_jobs(const TasksBenchOptions& options, InterruptScope& interrupt,
                                 const SaysWhat& says);

}  // namespace weir::cli
