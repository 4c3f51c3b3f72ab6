// Copy-compute splitting: launched reduces have no slots at first, they copy; a tracker holds such
// reduces of up to so many times its reduce slots.
#pragma once

#include <cstdint>
#include <optional>

#include "jobqueue/policy/policy.h"

namespace weir {

class CopySplit {
 public:
  virtual ~CopySplit() = default;
  virtual std::int64_t factor() const = 0;  // 0: by its settings it does not split
  // Which of the reduces that have copied on the tracker gets its slots next (kCompute). Asked
  // before choose(), until it says nothing or none waits there. Where the ruling policy does not
  // split, those that still copy get their slots in the order of their launch.
  virtual std::optional<Choice> choose_compute(const Offer& offer) = 0;
  // It waits for its slots now: on_launched() follows with them.
  virtual void on_copied(AttemptSlot) {}
};

}  // namespace weir
