// Writes the scenario of one run as text that `weir sim` takes as it is: what an experiment prints
// with --scenario is what it runs. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::experiments {

struct ClusterSetup {
  int racks = 1;
  int trackers_per_rack = 100;
  int map_slots = 4;
  int reduce_slots = 2;
  double rack_factor = 1.3;  // of a map's time
  double remote_factor = 2;
  int heartbeat_ms = 3000;
  int nodes() const { return racks * trackers_per_rack; }
};

// The published clusters: Facebook's private one, and EC2, whose racks nobody knew, so that every
// map that is not on its input's node reads from far.
ClusterSetup private_cluster();
ClusterSetup ec2_cluster(double remote_factor);
inline constexpr int kReplicas = 3;

// A tracker reports the end of a task with its next heartbeat (Hadoop 0.20), or at once.
enum class Beats { kPlain, kOutOfBand };
inline constexpr Beats kBeats[] = {Beats::kPlain, Beats::kOutOfBand};
const char* name(Beats beats);  // "hb", "oob"

// `off` for 0, else as long for the node as for the rack.
std::string locality_delay(double seconds);

// A scenario under the fair policy: `fair` is the inside of that section, `jobs` the inside of one
// submit each; a job comes at its time. It runs until all jobs have ended.
struct Arrival {
  std::int64_t at_ms = 0;
  std::string job;
};
std::string scenario_text(const ClusterSetup& cluster, Beats beats, const std::string& settings,
                          std::uint64_t seed, const std::vector<Arrival>& jobs);

}  // namespace weir::experiments
