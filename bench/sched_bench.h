// `weir bench sched`: the closed loop W(J,Q) and its churning sibling W' over the real engine with
// its real policy. A run fills 1,000 virtual trackers, warms up, then lets each in turn end its
// oldest tasks and report; the stopwatch runs only inside Engine::handle(), which takes the report,
// accounts, decides, checks, writes its events and composes the reply. Under W a finished task is
// reported as KILLED, which makes it pending again at no cost to its job, so demand is constant and
// each heartbeat must bring exactly as many launches as tasks ended: anything else is an error.
// Containers of several sizes come back in other numbers: there the trackers must stay filled.
// Under W' tasks succeed, jobs end and arrive, queues toggle, claims fall due (bench/churn.h).
// Virtual time goes on by one heartbeat interval per round of trackers. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/sched_load.h"
#include "jobqueue/model/result.h"

namespace weir::bench {

// One run; or, field by field, the median of several.
struct SchedFigures {
  double tasks_per_second = 0;  // launches over the CPU time inside the engine
  double heartbeats_per_second = 0;
  double p50_us = 0;  // of a heartbeat; the periodic update counts to the one it comes with
  double p99_us = 0;
  double tick_mean_ms = 0;  // the policy's periodic update, in CPU time
  double tick_worst_ms = 0;
  double bytes_per_pending_task = 0;
  // The part of a core that the run got. Under 1 others wanted it too: p50 and p99 are wall time
  // and include being put aside; the rest is CPU time.
  double cpu_share = 0;
  double heartbeats = 0;
  double launches = 0;
  double reclaimed = 0;   // W': attempts killed for claims
  double jobs_ended = 0;  // W'
};
SchedFigures median(const std::vector<SchedFigures>& runs);

// Called now and then during a run with the part of it that is done, 0 to 1.
using Progress = std::function<void(double)>;

// Runs for `seconds` of CPU time.
Result<SchedFigures> run_sched(const SchedLoad& load, double seconds, const Progress& progress);

}  // namespace weir::bench
