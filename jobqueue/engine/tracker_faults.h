// Trackers with many faults leave the pool and come back. A fault is a job that succeeded although
// this tracker had failed it so often that the job came to avoid it; a job that fails everywhere
// says nothing of any machine. With `tracker_faults.at_most` of them within `forget_after` the
// tracker gets no more tasks, unless more than half of the trackers would then be out that way. It
// is back as soon as few enough are remembered, when it is restarted, or when an administrator says
// so. Faults are durable.
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
  // Whether it has too many by now; only a new fault, or new settings, may put it out.
  void judge(TrackerState& tracker, bool may_put_out);
  // A faulty tracker: when enough of its faults are forgotten for it to be back in the pool.
  std::optional<TimeMs> back_at(const TrackerState& tracker) const;
  void heal_trackers();
  void keep_half();  // of the trackers that are there, at most half are out this way
  void judge_all();
  void forgive(TrackerState& tracker);

 private:
  std::size_t faulty_present() const;
  bool at_most_half_faulty(std::size_t faulty) const;

  std::set<std::pair<TimeMs, TrackerId>> healing_;  // faulty trackers, by when they come back
};

}  // namespace weir
