// Which of a job's pending maps are near a tracker: per tracker and per rack the indexes of the
// maps whose input lies there, lowest first. Entries are dropped lazily: an index is only believed
// if the map is still pending.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "jobqueue/event.h"
#include "jobqueue/ids.h"

namespace weir {

struct TaskGroup;

class LocalityIndex {
 public:
  // Says that map `index` is local to `tracker`, which stands in `rack`. In the order of indexes.
  void add(std::uint32_t index, TrackerId tracker, RackId rack);
  void add_unlocated(std::uint32_t index);  // nobody is known to have its input
  // A map that became pending again must be found again.
  void rewind(std::uint32_t index);
  void clear();
  bool empty() const { return by_tracker_.empty(); }

  struct Found {
    std::uint32_t index;
    Locality locality;
  };
  // How near map `index` is to the tracker.
  bool located(std::uint32_t index) const;
  Locality of(std::uint32_t index, TrackerId tracker, RackId rack) const;
  // The nearest fresh pending map, lowest index first within a level, that is not further than
  // `allowed`. Where a map without a location runs is all the same, so it always may.
  std::optional<Found> nearest(const TaskGroup& maps, TrackerId tracker, RackId rack,
                               Locality allowed);

 private:
  struct List {
    std::vector<std::uint32_t> indexes;  // ascending: maps are added in order
    std::size_t next = 0;                // all before it were not pending when last seen
  };
  static std::optional<std::uint32_t> first_pending(List& list, const TaskGroup& maps);
  std::map<TrackerId, List> by_tracker_;
  std::map<RackId, List> by_rack_;
  List unlocated_;
};

}  // namespace weir
