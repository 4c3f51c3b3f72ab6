// Which of a job's pending maps are near a tracker: per tracker and per rack the indexes of the
// maps whose input lies there, lowest first. All of it lies in a few flat blocks, because every
// slot that comes free asks the jobs in turn. Entries are dropped lazily: an index is only believed
// if the map is still pending.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/terms.h"

namespace weir {

struct TaskGroup;

class LocalityIndex {
 public:
  // --- Making: all replicas, in the order of the maps, then finish() ---
  void clear();
  // Says that map `index` is local to `tracker`, which stands in `rack`.
  void add(std::uint32_t index, TrackerId tracker, RackId rack);
  void add_unlocated(std::uint32_t index);  // nobody is known to have its input
  void finish();

  bool empty() const { return by_tracker_.keys.empty(); }
  // Hints to fetch what rewind() of a map looks at: itself, then what it points to (prefetch.h).
  void prefetch(std::uint32_t index) const;
  // A map that became pending again must be found again.
  void rewind(std::uint32_t index);

  struct Found {
    std::uint32_t index;
    Locality locality;
  };
  bool located(std::uint32_t index) const;
  // How near map `index` is to the tracker.
  Locality of(std::uint32_t index, TrackerId tracker, RackId rack) const;
  // The nearest fresh pending map, lowest index first within a level, that is not further than
  // `allowed`. Where a map without a location runs is all the same, so it always may.
  std::optional<Found> nearest(const TaskGroup& maps, TrackerId tracker, RackId rack,
                               Locality allowed);

 private:
  // Ascending indexes of maps by place; place p has those from begins[p] to begins[p + 1]. Short
  // lists, which most are, are searched whole; of the others it is kept how far they are used up.
  struct Lists {
    static constexpr std::uint32_t kShort = 16;
    struct Position {  // of a map in a long list
      std::uint32_t list;
      std::uint32_t at;  // in `indexes`
    };
    std::vector<std::uint32_t> keys;  // places with any, ascending
    std::vector<std::uint32_t> begins;
    std::vector<std::uint32_t> indexes;
    // Where there are long lists: all before `next` were not pending when last seen.
    std::vector<std::uint32_t> next;
    // ... and where map i stands in these: from begins_of[i] to begins_of[i + 1] of `positions`.
    std::vector<std::uint32_t> begins_of;
    std::vector<Position> positions;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> said;  // (place, index), while making

    void finish();
    void finish_long();
    void rewind(std::uint32_t index);
    std::optional<std::size_t> find(std::uint32_t place) const;
    bool holds(std::uint32_t place, std::uint32_t index) const;
    std::optional<std::uint32_t> first_pending(std::uint32_t place, const TaskGroup& maps);
  };
  Lists by_tracker_;
  Lists by_rack_;
  Lists unlocated_;  // at place 0
};

}  // namespace weir
