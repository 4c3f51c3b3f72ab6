// What breaks a rule of fifo: launches over a queue's declared maximum.
#pragma once

#include "lab/sabotage/sabotaged_policy.h"

namespace weir {

class FifoSabotage : public SabotagedPolicy {
 public:
  using SabotagedPolicy::SabotagedPolicy;

 protected:
  std::optional<Choice> choose_instead(const Offer& offer) override;
};

}  // namespace weir
