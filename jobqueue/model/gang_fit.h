// Whether a gang fits the cluster when nothing else runs there: each of its groups by itself, and
// all of them together. Packing groups of unlike sizes is hard; they are put first fit, in a few
// orders (as they stand, the largest first, first those that the fewest trackers would do for), and
// what no order finds room for counts as too much. Walks over trackers, for acceptance, for what a
// change of the trackers may have made impossible, and while a gang collects room. On the engine's
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jobqueue/model/gang.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/resources.h"

namespace weir {

// Tasks of one group that start together.
struct GangGroup {
  const TaskGroupSpec* spec = nullptr;
  Resources need;  // of one
  std::int64_t members = 0;
};

// How many tasks of the group, of that need, fit where its labels and ports let them when nothing
// runs there, spread as it asks: on trackers that count now, or (`ever`) on all there are, each as
// large as it was at most.
std::int64_t fit_empty(const ClusterState& state, const Resources& need,
                       const TaskGroupSpec& group, bool ever);
bool fit_together(const ClusterState& state, const std::vector<GangGroup>& groups, bool ever);
// Whether the cluster, if it were empty, had room for all members of the job's gang.
bool fits_empty(const ClusterState& state, const Job& job);
// Whether it had room for the others beside the rooms that the gang has and these.
bool leaves_room_for_rest(const ClusterState& state, const Job& job,
                          const std::vector<GangRoom>& rooms);

}  // namespace weir
