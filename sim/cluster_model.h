// What a scenario may assume of its cluster beyond slots (`model:`): how much longer a map takes
// that reads from afar, what starting a task costs, how times scatter, and where blocks lie when a
// job does not say. All that is drawn by lot is a function of the seed, the job's name and the
// task, never of the order in which things happen. For simulation only: doubles. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/model/event.h"
#include "jobqueue/model/job_spec.h"
#include "sim/virtual_cluster.h"

namespace weir {

struct ClusterModel {
  double rack_factor = 1;    // of map_time, where the input lies in the tracker's rack
  double remote_factor = 1;  // ... in another rack
  DurationMs task_launch_ms = 0;
  double spread = 0;          // times scatter evenly by this part up and down
  std::int64_t replicas = 0;  // of each block, when a job names no locations
  std::uint64_t seed = 0;
};

// How long the map runs. `placed`: its input has a known place.
DurationMs map_time(const ClusterModel& model, const JobSpec& spec, std::uint32_t map,
                    DurationMs plain_ms, bool placed, Locality locality);
DurationMs reduce_time(const ClusterModel& model, const JobSpec& spec, std::uint32_t reduce,
                       DurationMs plain_ms);

// When a tracker first reports: anywhere within the interval.
DurationMs random_phase(const ClusterModel& model, const std::string& tracker,
                        DurationMs interval_ms);

// Gives each map's input `replicas` trackers: the first anywhere, the second in another rack, the
// third beside the second, further ones anywhere; fewer where the cluster has no more. `input`
// names the file: jobs that read the same one find its blocks in the same places.
void place_blocks(const ClusterModel& model, const std::vector<VirtualTrackerSpec>& trackers,
                  const std::string& input, JobSpec& spec);

}  // namespace weir
