// Trackers come and go: registration, loss, expiry, the map outputs that go with them.
#pragma once

#include <string>

#include "jobqueue/engine/part.h"
#include "jobqueue/engine/tracker_losses.h"
#include "jobqueue/model/arrival_list.h"

namespace weir {

class Trackers : public Part {
 public:
  using Part::Part;

  void on(const RegisterTracker& input, Token token);
  void on(const LoseTracker& input, Token token);
  void lose_tracker(TrackerState& tracker, const std::string& why, Loss loss);
  void store_total(TrackerState& tracker);
  void store_lost(TrackerState& tracker);
  void lose_outputs(TrackerState& tracker, const std::string& why);
  void heard_of(TrackerState& tracker);
  void expire_trackers();

 private:
  bool is_another(const TrackerState& known, const RegisterTracker& input) const;
  void begin_anew(TrackerState& tracker);

  ArrivalList<TrackerId> by_silence_;  // live and awaited trackers, by last_heartbeat
};

}  // namespace weir
