// Trackers with many faults leave the pool and come back.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "jobqueue/engine/part.h"

namespace weir {

class TrackerFaults : public Part {
 public:
  using Part::Part;

  void note_faults(const Job& job);
  void judge(TrackerState& tracker, bool may_put_out);
  // A faulty tracker: when enough of its faults are forgotten for it to be back in the pool.
  std::optional<TimeMs> back_at(const TrackerState& tracker) const;
  void heal_trackers();
  void keep_half();
  void judge_all();
  void forgive(TrackerState& tracker);

 private:
  std::size_t faulty_present() const;
  bool at_most_half_faulty(std::size_t faulty) const;

  std::set<std::pair<TimeMs, TrackerId>> healing_;  // faulty trackers, by when they come back
};

}  // namespace weir
