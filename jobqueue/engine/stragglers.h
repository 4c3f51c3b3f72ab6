// Speculative attempts: a task that has fallen behind the others of its kind is tried once more on
// another tracker, and whichever attempt is done first counts. The state knows the stragglers
// (cluster_state_stragglers.cpp), the policy says which job may have the slot. A slot goes to a
// second attempt only when no ordinary task wants it; one a heartbeat and kind, so that not all of
// a job's stragglers go to the same tracker.
#pragma once

#include <array>
#include <optional>

#include "jobqueue/engine/part.h"

namespace weir {

class Stragglers : public Part {
 public:
  using Part::Part;

  bool speculate(TrackerState& tracker, Offer& offer, std::array<bool, kTaskKindCount>& speculated);
  bool may_adopt_beside(const Job& job, const TrackerState& tracker,
                        const AttemptReport& report) const;
  // `adopted` beside another attempt of its task: the later launch of the two was the second one.
  void mark_the_second(const Task& task, AttemptSlot adopted);
  void kill_losers(Job& job, const TaskKey& key);

 private:
  std::optional<Choice> choose_straggler(TaskKind kind, const Offer& offer);

  JobId speculated_last_[kTaskKindCount];  // where the look for stragglers stopped
};

}  // namespace weir
