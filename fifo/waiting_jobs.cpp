#include "fifo/waiting_jobs.h"

namespace weir {

WaitingJobs::WaitingJobs(const QueueTree& tree) : gate_of_(tree.size(), kRoot) {
  gates_.push_back(
      {.queue = QueueTree::root(), .widest_ever = INT64_MAX, .room = INT64_MAX});
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

bool WaitingJobs::has_room_beside(QueueId queue, std::int64_t width) const {
  for (std::uint32_t g = gate_of_[queue.index()]; g != kRoot; g = gates_[g].above) {
    if (width > gates_[g].room || first_passed(gates_[g], width)) return false;
  }
  return true;
}

void WaitingJobs::insert(const JobOrder& job, QueueId leaf, std::int64_t width) {
  const std::uint32_t gate = gate_of_[leaf.index()];
  gates_[gate].lanes[width].items.insert(Item{job});
  settle(gate);
}

void WaitingJobs::erase(const JobOrder& job, QueueId leaf, std::int64_t width) {
  const std::uint32_t gate = gate_of_[leaf.index()];
  const auto lane = gates_[gate].lanes.find(width);
  lane->second.items.erase(Item{job});
  if (gate == kRoot && lane->second.items.empty()) gates_[gate].lanes.erase(lane);
  settle(gate);
}

void WaitingJobs::set_room(std::uint32_t gate, std::int64_t slots) {
  if (gates_[gate].room == slots) return;
  gates_[gate].room = slots;
  settle(gate);
}

// The first job in the gate that would have no room any more after a task of that width, though it
// is wider.
WaitingJobs::Until WaitingJobs::first_passed(const Gate& gate, std::int64_t width) const {
  Until first;
  for (auto lane = gate.lanes.upper_bound(std::max(width, gate.room - width));
       lane != gate.lanes.end() && lane->first <= gate.widest_ever; ++lane) {
    if (!lane->second.items.empty())
      first = sooner(first, lane->second.items.begin()->order);
  }
  return first;
}

// Makes the lane stand where it should in the one above; false: it did.
bool WaitingJobs::stand(Gate& gate, std::int64_t width, Lane& lane) {
  Until as;
  if (!lane.items.empty() && width <= gate.room) as = lane.items.begin()->order;
  if (as && lane.until && !(*as < *lane.until)) as.reset();
  if (as == lane.stands_as) return false;
  Lanes& above = gates_[gate.above].lanes;
  const auto place = above.try_emplace(width).first;
  if (lane.stands_as) place->second.items.erase(Item{*lane.stands_as});
  if (as) place->second.items.insert(Item{*as, &lane});
  if (gate.above == kRoot && place->second.items.empty()) above.erase(place);
  lane.stands_as = as;
  return true;
}

// Makes the lanes of the gate stand where they should, and those above in turn; empty ones go.
void WaitingJobs::settle(std::uint32_t at) {
  bool changed = true;
  for (; at != kRoot && changed; at = gates_[at].above) {
    Gate& gate = gates_[at];
    changed = false;
    for (auto& [width, lane] : gate.lanes) {
      lane.until = first_passed(gate, width);
      if (stand(gate, width, lane)) changed = true;
    }
    std::erase_if(gate.lanes, [](const auto& lane) { return lane.second.items.empty(); });
  }
}

// Jobs of the lane that are not before `from`, and before `until`.
std::int64_t WaitingJobs::count(const Lane& lane, const Until& from, const JobOrder& until) {
  std::int64_t count = 0;
  for (const Item& item : lane.items) {
    if (!(item.order < until)) break;
    if (item.lane != nullptr) {
      count += WaitingJobs::count(*item.lane, from, *sooner(until, item.lane->until));
    } else if (!from || !(item.order < *from)) {
      ++count;
    }
  }
  return count;
}

std::int64_t WaitingJobs::before(const JobOrder& job, QueueId leaf, std::int64_t width) const {
  std::int64_t before = 0;
  for (const auto& [unused, lane] : gates_[kRoot].lanes) before += count(lane, {}, job);
  const auto held = [&](const Gate& gate) {
    const Until passed = first_passed(gate, width);
    return width > gate.room || (passed && *passed < job);
  };
  for (std::uint32_t g = gate_of_[leaf.index()]; g != kRoot; g = gates_[g].above) {
    if (!held(gates_[g])) continue;  // nothing holds the job here
    for (const auto& [other, lane] : gates_[g].lanes) {
      const bool none = other > gates_[g].room;
      if (!none && !lane.until) continue;  // counted above
      Until until = job;
      bool held_alone = false;
      for (std::uint32_t a = gates_[g].above; a != kRoot; a = gates_[a].above) {
        if (held(gates_[a])) continue;
        held_alone = held_alone || other > gates_[a].room;
        until = sooner(until, first_passed(gates_[a], other));
      }
      if (!held_alone) before += count(lane, none ? Until() : lane.until, *until);
    }
  }
  return before;
}

}  // namespace weir
