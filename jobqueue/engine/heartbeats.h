// Heartbeats: what a tracker reports, compared with what the engine holds (input.h says how the
// protocol is level-triggered).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Heartbeats : public Part {
 public:
  using Part::Part;

  static Error not_registered(const std::string& tracker);
  void on(const Heartbeat& input, Token token);

 private:
  void take_report(TrackerState& tracker, const Heartbeat& report);
  void forget_ends(TrackerState& tracker, const Heartbeat& report);
  void prefetch_for(const TrackerState& tracker, const Heartbeat& report);
  void take_attempt(TrackerState& tracker, const AttemptReport& report);
  void take_live_attempt(AttemptSlot slot, const AttemptReport& report);
  void grant_commit(AttemptSlot slot);
  struct Launch {
    TimeMs at = 0;
    std::int32_t apart_ms = 0;
  };
  Launch launch_of(const Job& job, const AttemptReport& report) const;
  bool adopt(TrackerState& tracker, const AttemptReport& report);
  void drop_missing_attempts(TrackerState& tracker);
  void release_given_up(TrackerState& tracker, const Heartbeat& report);

  std::uint64_t reports_ = 0;  // taken from trackers
  std::vector<AttemptSlot> ended_;  // reused, as the next
  std::vector<TaskKey> asked_about_;
};

}  // namespace weir
