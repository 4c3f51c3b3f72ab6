// Free slots are offered to the policy, and its answers are checked again before anything starts.
#pragma once

#include <cstddef>

#include "jobqueue/engine/part.h"

namespace weir {

class Launches : public Part {
 public:
  using Part::Part;

  void schedule(TrackerState& tracker);
  const char* wrong_hold(const TrackerState& tracker, const Choice& choice, const Job& job,
                         std::size_t& place) const;
  void refuse_choice(const TrackerState& tracker, const Choice& choice, const char* wrong);
  void start(TrackerState& tracker, const Choice& choice, Offer& offer, std::size_t held,
             bool beside);

 private:
  bool held_for(const Hold& hold, const Job& job) const;
  bool launch(TrackerState& tracker, const Choice& choice, Offer& offer);
};

}  // namespace weir
