// Labels of trackers, and what a group of tasks requires of them. A tracker says its labels itself;
// `name` and `rack` it has anyhow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/job_spec.h"

namespace weir {

// The value of the label there; empty: it has none.
std::string_view label_of(const TrackerState& tracker, const ClusterState& state,
                          std::string_view label);
// Whether all of them hold there.
bool meets(const TrackerState& tracker, const ClusterState& state,
           const std::vector<Requirement>& required);
std::string text(const std::vector<Requirement>& required);  // "disk ssd, zone a or b, rack not r9"

}  // namespace weir
