#include "fifo/waiting_jobs.h"

#include <iterator>

namespace weir {

WaitingJobs::WaitingJobs(const QueueTree& tree) : gate_of_(tree.size(), kRoot) {
  gates_.push_back({.queue = QueueTree::root(), .room = INT64_MAX});
  for (std::size_t q = 1; q < tree.size(); ++q) {  // parents come before their children
    const QueueTree::Node& node = tree.nodes()[q];
    const std::uint32_t above = gate_of_[node.parent.index()];
    gate_of_[q] = above;
    if (!node.settings.maximum_hundredths) continue;
    gate_of_[q] = static_cast<std::uint32_t>(gates_.size());
    gates_.push_back({.queue = QueueId(q), .above = above});
  }
}

std::int64_t WaitingJobs::room(QueueId queue) const {
  std::int64_t room = INT64_MAX;
  for (std::uint32_t g = gate_of_[queue.index()]; g != kRoot; g = gates_[g].above) {
    room = std::min(room, gates_[g].room);
  }
  return room;
}

void WaitingJobs::insert(const JobOrder& job, QueueId leaf, std::int64_t width) {
  const std::uint32_t gate = gate_of_[leaf.index()];
  const auto lane = gates_[gate].lanes.try_emplace(width).first;
  lane->second.items.insert(Item{job});
  stand(gate, lane);
}

void WaitingJobs::erase(const JobOrder& job, QueueId leaf, std::int64_t width) {
  const std::uint32_t gate = gate_of_[leaf.index()];
  const auto lane = gates_[gate].lanes.find(width);
  lane->second.items.erase(Item{job});
  stand(gate, lane);
}

// Lanes for which the room was enough and is no more, or the other way round, are the only ones
// that the change concerns.
void WaitingJobs::set_room(std::uint32_t gate, std::int64_t slots) {
  const auto [less, more] = std::minmax({gates_[gate].room, slots});
  if (less == more) return;
  Lanes& lanes = gates_[gate].lanes;
  const auto first = lanes.upper_bound(less);
  const auto last = lanes.upper_bound(more);
  gates_[gate].room = slots;
  for (auto lane = first; lane != last; ++lane) stand(gate, lane);
}

// Makes the lane stand where it should in the one above, and that one in turn; empty ones go.
void WaitingJobs::stand(std::uint32_t gate, Lanes::iterator at) {
  while (true) {
    const std::int64_t width = at->first;
    Lane& lane = at->second;
    Lanes& lanes = gates_[gate].lanes;
    std::optional<JobOrder> as;
    if (gate != kRoot && !lane.items.empty() && width <= gates_[gate].room) {
      as = lane.items.begin()->order;
    }
    const bool same = as == lane.stands_as;
    auto above = at;
    if (!same) {
      above = gates_[gates_[gate].above].lanes.try_emplace(width).first;
      if (lane.stands_as) above->second.items.erase(Item{*lane.stands_as});
      if (as) above->second.items.insert(Item{*as, &lane});
      lane.stands_as = as;
    }
    if (lane.items.empty()) lanes.erase(at);
    if (same) return;
    at = above;
    gate = gates_[gate].above;
  }
}

std::int64_t WaitingJobs::count_before(const Lane& lane, const JobOrder& job) {
  std::int64_t count = 0;
  for (const Item& item : lane.items) {
    if (!(item.order < job)) break;
    count += item.lane == nullptr ? 1 : count_before(*item.lane, job);
  }
  return count;
}

std::int64_t WaitingJobs::before(const JobOrder& job, QueueId leaf, std::int64_t width) const {
  std::int64_t count = 0;
  for (const auto& [unused, lane] : gates_[kRoot].lanes) count += count_before(lane, job);
  for (std::uint32_t g = gate_of_[leaf.index()]; g != kRoot; g = gates_[g].above) {
    if (width <= gates_[g].room) continue;  // nothing holds the job here
    for (const auto& [other, lane] : gates_[g].lanes) {
      if (other <= gates_[g].room) continue;  // counted above
      bool held_alone = false;
      for (std::uint32_t a = gates_[g].above; a != kRoot; a = gates_[a].above) {
        held_alone = held_alone || (other > gates_[a].room && width <= gates_[a].room);
      }
      if (!held_alone) count += count_before(lane, job);
    }
  }
  return count;
}

}  // namespace weir
