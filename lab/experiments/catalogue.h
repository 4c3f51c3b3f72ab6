// The experiments, one function a file or two; `experiments()` lists them. See experiment.h.
#pragma once

#include "lab/experiments/experiment.h"

namespace weir::experiments {

Experiment small_jobs();                 // small_jobs.cpp
Experiment locality_delay_experiment();  // small_jobs.cpp
Experiment sticky_slots();
Experiment copy_compute();

// So many of `whole`, at least one.
int part_of(double size, int whole);
inline double node_of(const RunFigures& run) {
  return run.node;
}
inline double rack_of(const RunFigures& run) {
  return run.rack;
}
inline double rate_of(const RunFigures& run) {
  return run.tasks_per_s;
}
inline double makespan_of(const RunFigures& run) {
  return run.makespan_s;
}

}  // namespace weir::experiments
