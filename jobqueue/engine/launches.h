// Free slots are offered to the policy, and its answers are checked again before anything starts.
#pragma once

#include <cstddef>

#include "jobqueue/engine/part.h"

namespace weir {

class Launches : public Part {
 public:
  using Part::Part;

  void schedule(TrackerState& tracker);
  // What is wrong with the hold that the choice takes, if anything; `place`: where it is.
  const char* wrong_hold(const TrackerState& tracker, const Choice& choice, const Job& job,
                         std::size_t& place) const;
  void refuse_choice(const TrackerState& tracker, const Choice& choice, const char* wrong);
  // `held`: the place of the choice's hold, if it has one. `beside`: the task runs elsewhere.
  void start(TrackerState& tracker, const Choice& choice, Offer& offer, std::size_t held,
             bool beside);
  // A member of a gang: it runs, and its tracker hears of it at its next heartbeat.
  void start_member(TrackerState& tracker, const TaskKey& task);

 private:
  bool held_for(const Hold& hold, const Job& job) const;
  bool settle(TrackerState& tracker, const Choice& choice, Offer& offer);
  bool launch(TrackerState& tracker, const Choice& choice, Offer& offer);
  bool settle_gang(TrackerState& tracker, const Choice& choice, Offer& offer);
  void take_units(TrackerState& tracker, const Job& job, const AttemptKey& attempt);
};

}  // namespace weir
