#include "lab/experiments/scenario_text.h"

#include <fmt/format.h>

#include <cmath>

#include "jobqueue/model/time.h"

namespace weir::experiments {

ClusterSetup private_cluster() {
  return {.racks = 4, .trackers_per_rack = 25, .map_slots = 6, .reduce_slots = 4};
}

ClusterSetup ec2_cluster(double remote_factor) {
  return {.rack_factor = remote_factor, .remote_factor = remote_factor};
}

const char* name(Beats beats) {
  return beats == Beats::kPlain ? "hb" : "oob";
}

std::string locality_delay(double seconds) {
  return seconds == 0 ? "off" : format_duration(std::llround(seconds * 1000));
}

std::string scenario_text(const ClusterSetup& cluster, Beats beats, const std::string& settings,
                          std::uint64_t seed, const std::vector<Arrival>& jobs) {
  std::string text = fmt::format(
      "cluster: {{racks: {}, trackers_per_rack: {}, map_slots: {}, reduce_slots: {}}}\n",
      cluster.racks, cluster.trackers_per_rack, cluster.map_slots, cluster.reduce_slots);
  text += fmt::format("settings:\n  policy: fair\n{}", settings);
  text += fmt::format("heartbeats: {{interval: {}, out_of_band: {}, phase: random}}\n",
                      format_duration(cluster.heartbeat_ms), beats == Beats::kOutOfBand);
  text += fmt::format(
      "model: {{rack_factor: {}, remote_factor: {}, task_launch: 1s, spread: 10%, replicas: {}}}\n",
      cluster.rack_factor, cluster.remote_factor, kReplicas);
  text += fmt::format("seed: {}\nsteps:\n", seed);
  for (const Arrival& arrival : jobs) {
    const std::string at = arrival.at_ms > 0 ? "at: " + format_duration(arrival.at_ms) + ", " : "";
    text += fmt::format("  - {{{}submit: {{{}}}}}\n", at, arrival.job);
  }
  return text + "  - run_until: jobs_ended\n";
}

}  // namespace weir::experiments
