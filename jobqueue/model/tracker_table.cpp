#include "jobqueue/model/tracker_table.h"

#include <algorithm>

namespace weir {

const TrackerState* TrackerTable::find(std::string_view name) const {
  // Trackers report in turn, in the same order again and again. On the engine's thread, as the hint
  // changes.
  const TrackerId next = last_found_.valid() ? found_after_[last_found_.index()] : TrackerId{};
  if (next.valid() && at(next).name == name) return &at(last_found_ = next);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  if (last_found_.valid()) found_after_[last_found_.index()] = found->second;
  return &at(last_found_ = found->second);
}

const std::vector<TrackerId>& TrackerTable::near(const std::string& host) const {
  static const std::vector<TrackerId> none;
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? none : found->second;
}

const Resources& TrackerTable::largest() const {
  if (largest_) return *largest_;
  Resources& largest = largest_.emplace();
  for (const TrackerState& tracker : trackers_) {
    if (!tracker.live() && !tracker.counts()) continue;
    for (std::size_t i = 0; i < kDimensionCount; ++i) {
      largest.amount[i] = std::max(largest.amount[i], tracker.total.amount[i]);
    }
  }
  return largest;
}

TrackerState& TrackerTable::add(const std::string& name) {
  const TrackerId id(trackers_.size());
  trackers_.emplace_back();
  found_after_.emplace_back();
  TrackerState& tracker = trackers_.back();
  tracker.id = id;
  tracker.name = name;
  tracker.state = TrackerState::State::kNew;
  tracker.rack = racks_.intern("default");
  by_name_.emplace(name, id);
  by_host_[name].push_back(id);
  return tracker;
}

void TrackerTable::set_address(TrackerState& tracker, const TrackerAddress& address) {
  const RackId rack = racks_.intern(address.rack);
  if (tracker.host != address.host) {
    if (auto& here = by_host_[tracker.host]; tracker.host != tracker.name)
      std::erase(here, tracker.id);
    if (address.host != tracker.name) by_host_[address.host].push_back(tracker.id);
    ++address_version_;
  } else if (tracker.rack != rack || tracker.local_paths != address.local_paths) {
    ++address_version_;
  }
  tracker.host = address.host;
  tracker.shuffle_port = address.shuffle_port;
  tracker.rack = rack;
  tracker.local_paths = address.local_paths;
}

void TrackerTable::keep(TrackerState& tracker, int sign) {
  rooms_.count(tracker, -1);
  tracker.keeps += static_cast<std::uint32_t>(sign);
  rooms_.count(tracker, 1);
}

// It leaves the sums (-1) before it changes, and comes back (1) after it.
void TrackerTable::count(const TrackerState& tracker, int sign) {
  if (tracker.counts()) {
    if (sign > 0) {
      total_ += tracker.total;
      held_ += tracker.used;
    } else {
      total_ -= tracker.total;
      held_ -= tracker.used;
    }
  }
  count_free(tracker, sign);
  rooms_.count(tracker, sign);
  if (tracker.live()) live_ += static_cast<std::uint32_t>(sign);
  if (tracker.state == TrackerState::State::kAwaited) awaited_ += static_cast<std::uint32_t>(sign);
}

}  // namespace weir
