// Copy-compute splitting: reduces that were launched to copy say when they have, and are granted
// their slots, in the policy's order or, when it has none, in that of their launch. A grant is
// repeated in every reply until the tracker says that the reduce computes.
#pragma once

#include <cstdint>

#include "jobqueue/engine/part.h"

namespace weir {

class Copies : public Part {
 public:
  using Part::Part;

  void take_copy(AttemptSlot slot, const AttemptReport& report);
  std::int64_t launch_room(const TrackerState& tracker, TaskKind kind) const;
  void grant_slots(TrackerState& tracker);

 private:
  void grant(AttemptSlot slot);
  void end_stranded(const TrackerState& tracker);
  void grant_in_order(TrackerState& tracker);
  bool compute(TrackerState& tracker, const Choice& choice);
};

}  // namespace weir
