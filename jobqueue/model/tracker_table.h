// All trackers that were ever there, by id, name and host, and what they have together: totals,
// free slots, how many are alive. Whoever changes what of a tracker counts there goes through
// change() or use(), which keep the sums right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jobqueue/model/free_slots.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/life_cycles.h"
#include "jobqueue/model/name_table.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/room_index.h"
#include "jobqueue/model/tracker_state.h"

namespace weir {

class TrackerTable {
 public:
  const std::vector<TrackerState>& all() const { return trackers_; }
  const TrackerState& at(TrackerId id) const { return trackers_[id.index()]; }
  TrackerState& at(TrackerId id) { return trackers_[id.index()]; }
  const TrackerState* find(std::string_view name) const;
  // Those that are of this name, or on the host of this name.
  const std::vector<TrackerId>& near(const std::string& host) const;
  const std::string& rack_name(RackId id) const { return racks_.name(id); }

  const Resources& total() const { return total_; }  // of those that count
  const Resources& held() const { return held_; }    // in use on those
  std::uint32_t live() const { return live_; }
  std::uint32_t awaited() const { return awaited_; }
  // The most any live one offers in each dimension.
  const Resources& largest() const;
  // Of trackers that take tasks, what nothing holds.
  const FreeSlots& free_slots() const { return free_slots_; }
  static std::int64_t free_slots(const TrackerState& tracker, TaskKind kind);
  // Grows when an address or a path changes: what is near what is to be found out anew.
  std::uint64_t address_version() const { return address_version_; }

  TrackerState& add(const std::string& name);  // new, until it is said to be there
  void set_address(TrackerState& tracker, const TrackerAddress& address);
  // Changes its state, its total, or what may move it in or out of the pool.
  template <class Change>
  void change(TrackerState& tracker, Change change);
  // One more (1) or less (-1) is kept on it: a hold, or a reservation.
  void keep(TrackerState& tracker, int sign);
  // On how many trackers that take tasks, and keep nothing, a container so large finds room.
  std::int64_t with_room(const Resources& need) const {
    return rooms_.trackers_with(need, trackers_);
  }
  void forget_rooms() { rooms_ = {}; }  // whoever asks next counts anew
  // What of it is in use grows (1) or shrinks (-1) by `need`, which has nothing from `end` on.
  void use(TrackerState& tracker, const Resources& need, int sign,
           std::size_t end = kDimensionCount);

 private:
  struct NameHash {  // finds by string_view
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  void count(const TrackerState& tracker, int sign);
  void count_free(const TrackerState& tracker, int sign);

  std::vector<TrackerState> trackers_;
  // Looked up, never walked.
  std::unordered_map<std::string, TrackerId, NameHash, std::equal_to<>> by_name_;
  // Who was found last; and by id, after whom who was then. Hints, which spare most of the hashing.
  mutable TrackerId last_found_;
  mutable std::vector<TrackerId> found_after_;
  std::map<std::string, std::vector<TrackerId>> by_host_;  // host or tracker name
  NameTable<RackId> racks_;
  std::uint64_t address_version_ = 1;
  Resources total_;
  Resources held_;
  std::uint32_t live_ = 0;
  std::uint32_t awaited_ = 0;
  FreeSlots free_slots_;
  mutable RoomIndex rooms_;  // empty where slots count: nobody asks
  mutable std::optional<Resources> largest_;  // a cache; nothing: a tracker has changed since
};

template <class Change>
void TrackerTable::change(TrackerState& tracker, Change change) {
  largest_.reset();
  count(tracker, -1);
  life::kTracker.change(tracker, change);
  count(tracker, 1);
}

inline std::int64_t TrackerTable::free_slots(const TrackerState& tracker, TaskKind kind) {
  if (!tracker.in_pool()) return 0;
  return std::max<std::int64_t>(0, tracker.total.slots(kind) - tracker.used.slots(kind));
}

inline void TrackerTable::use(TrackerState& tracker, const Resources& need, int sign,
                              std::size_t end) {
  if (!rooms_.empty()) rooms_.count(tracker, -1);
  const std::int64_t counted = tracker.counts() ? sign : 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (need.amount[i] == 0) continue;
    const bool slots = i < kTaskKindCount;
    const auto kind = static_cast<TaskKind>(i);
    if (slots) free_slots_.count(kind, free_slots(tracker, kind), -1);
    tracker.used.amount[i] += sign * need.amount[i];
    held_.amount[i] += counted * need.amount[i];
    if (slots) free_slots_.count(kind, free_slots(tracker, kind), 1);
  }
  if (!rooms_.empty()) rooms_.count(tracker, 1);
}

inline void TrackerTable::count_free(const TrackerState& tracker, int sign) {
  for (const TaskKind kind : kTaskKinds) free_slots_.count(kind, free_slots(tracker, kind), sign);
}

}  // namespace weir
