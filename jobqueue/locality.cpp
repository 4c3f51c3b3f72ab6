#include "jobqueue/locality.h"

#include <algorithm>

#include "jobqueue/job.h"

namespace weir {

void LocalityIndex::add(std::uint32_t index, TrackerId tracker, RackId rack) {
  const auto append = [index](List& list) {
    if (list.indexes.empty() || list.indexes.back() != index) list.indexes.push_back(index);
  };
  append(by_tracker_[tracker]);
  append(by_rack_[rack]);
}

void LocalityIndex::add_unlocated(std::uint32_t index) {
  unlocated_.indexes.push_back(index);
}

bool LocalityIndex::located(std::uint32_t index) const {
  return !std::binary_search(unlocated_.indexes.begin(), unlocated_.indexes.end(), index);
}

void LocalityIndex::rewind(std::uint32_t index) {
  const auto step_back = [index](List& list) {
    const auto at = std::lower_bound(list.indexes.begin(), list.indexes.end(), index);
    if (at == list.indexes.end() || *at != index) return;
    list.next = std::min(list.next, static_cast<std::size_t>(at - list.indexes.begin()));
  };
  for (auto& [tracker, list] : by_tracker_) step_back(list);
  for (auto& [rack, list] : by_rack_) step_back(list);
  step_back(unlocated_);
}

void LocalityIndex::clear() {
  by_tracker_.clear();
  by_rack_.clear();
  unlocated_ = {};
}

Locality LocalityIndex::of(std::uint32_t index, TrackerId tracker, RackId rack) const {
  const auto holds = [index](const auto& lists, auto key) {
    const auto list = lists.find(key);
    return list != lists.end() &&
           std::binary_search(list->second.indexes.begin(), list->second.indexes.end(), index);
  };
  if (holds(by_tracker_, tracker)) return Locality::kNode;
  return holds(by_rack_, rack) ? Locality::kRack : Locality::kAny;
}

std::optional<std::uint32_t> LocalityIndex::first_pending(List& list, const TaskGroup& maps) {
  while (list.next < list.indexes.size() && !maps.fresh.contains(list.indexes[list.next]))
    ++list.next;
  if (list.next == list.indexes.size()) return std::nullopt;
  return list.indexes[list.next];
}

std::optional<LocalityIndex::Found> LocalityIndex::nearest(const TaskGroup& maps, TrackerId tracker,
                                                           RackId rack, Locality allowed) {
  if (const auto node = by_tracker_.find(tracker); node != by_tracker_.end()) {
    if (const auto found = first_pending(node->second, maps)) return Found{*found, Locality::kNode};
  }
  if (const auto near = by_rack_.find(rack); near != by_rack_.end() && allowed >= Locality::kRack) {
    if (const auto found = first_pending(near->second, maps)) return Found{*found, Locality::kRack};
  }
  const auto any = allowed == Locality::kAny ? maps.fresh.first() : first_pending(unlocated_, maps);
  if (any) return Found{*any, Locality::kAny};
  return std::nullopt;
}

}  // namespace weir
