#include "lab/experiments/closed_forms.h"

#include <algorithm>
#include <cmath>

namespace weir::experiments {

double naive_locality(int maps, int nodes, int replicas) {
  return delayed_locality(maps, nodes, replicas, 1);
}

double delayed_locality(int maps, int nodes, int replicas, double offers) {
  const double miss = std::pow(1 - static_cast<double>(replicas) / nodes, offers);
  double misses = 0;
  for (int pending = 1; pending <= maps; ++pending) misses += std::pow(miss, pending);
  return 1 - misses / maps;
}

double offers_while_waiting(double wait_s, double heartbeats_per_s) {
  return 1 + wait_s * heartbeats_per_s;
}

double sticky_locality(int slots, int nodes, int slots_per_node, int replicas) {
  const int all = nodes * slots_per_node;
  double none = 1;  // of a node's slots is the job's
  for (int i = 0; i < slots; ++i) {
    none *= std::max(0.0, static_cast<double>(all - slots_per_node - i) / (all - i));
  }
  return 1 - std::pow(none, replicas);
}

double sticky_locality_spread(int slots, int nodes, int replicas) {
  return 1 - std::pow(1 - std::min(1.0, static_cast<double>(slots) / nodes), replicas);
}

}  // namespace weir::experiments
