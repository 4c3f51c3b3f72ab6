// Whether any tracker that counts could ever run a job's tasks: large enough, with the labels that
// they require, and not avoided by the job. Jobs differ, what they need seldom does, so answers are
// kept by need. A part of a
// policy's indexes: derived state, on the engine's thread.
#pragma once

#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class Placeable {
 public:
  explicit Placeable(const ClusterState& state) : state_(state) {}
  Placeable(const Placeable&) = delete;  // a copy would forget what it finds

  bool operator()(const Job& job, TaskKind kind);
  // The trackers have changed. Tells whether answers have; those for jobs that avoid trackers may
  // have in any case.
  bool refresh();

 private:
  // What some job needs, and whether any live tracker will do.
  struct KnownNeed {
    Resources need;
    std::vector<Requirement> required;
    bool fits = false;
  };
  bool fits_somewhere(const Resources& need, const std::vector<Requirement>& required) const;
  bool known_to_fit(const Resources& need, const std::vector<Requirement>& required);

  const ClusterState& state_;
  std::vector<KnownNeed> known_;
};

// The trackers that failed the job too often.
std::size_t avoided_trackers(const Job& job);

// The tracker that is soonest able to run a task of the job, as an answer to reserve it: the one
// with the most slots free already, of those large enough that nothing is kept on. Nothing if one
// is able now, if the job has one reserved, or if one in twenty is (one, where there are fewer).
std::optional<Choice> reserve_tracker(const ClusterState& state, JobId job, TaskKind kind);

}  // namespace weir
