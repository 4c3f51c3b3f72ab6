// Second attempts of tasks that have fallen far behind.
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
  void kill_losers(Job& job, const TaskKey& key);

 private:
  std::optional<Choice> choose_straggler(TaskKind kind, const Offer& offer);

  JobId speculated_last_[kTaskKindCount];  // where the look for stragglers stopped
};

}  // namespace weir
