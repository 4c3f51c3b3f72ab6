// What leaves are owed where containers count (containers.md 3.2, 4.4): OWED(GC) of a leaf are its
// wanted tasks in its order, each taken if within the guarantee together with what runs and those
// taken. The first that is not, though it would be if the leaf ran nothing, ends the list: else the
// room of a large task is claimed, and taken by force, by small ones behind it for ever. What a
// hard limit forbids its user is not wanted. At the pass leaves put them, first fit, into what is
// free and others do not keep, trackers in order of registration; what finds no room, in each
// dimension, is what claims follow and what may be killed for. One pass is made at a time, off the
// heartbeat path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "capacity/container_standing.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/container_bounds.h"
#include "jobqueue/policy/container_items.h"
#include "jobqueue/policy/free_rooms.h"

namespace weir {

// Tasks of one group that a leaf is owed.
struct OwedItem {
  JobId job;
  TaskKind kind = TaskKind::kMap;
  const Size* size = nullptr;
  std::int64_t tasks = 0;
};

// Calls `use(item)` in the leaf's order, until it says true.
void each_owed(const ClusterState& state, const ContainerItems& items, QueueId leaf,
               const Amounts& bound, const std::function<bool(const OwedItem&)>& use);

// The same for every leaf at each pass: kept until the leaf changes.
class OwedLists {
 public:
  OwedLists(const ClusterState& state, const ContainerStanding& standing)
      : state_(state), standing_(standing), lists_(state.tree().size()) {}
  // The standing is settled.
  const std::vector<OwedItem>& of(QueueId leaf);

 private:
  struct List {
    std::optional<std::uint64_t> version;  // of the leaf
    std::vector<OwedItem> items;
  };
  const ClusterState& state_;
  const ContainerStanding& standing_;
  std::vector<List> lists_;  // by QueueId
};

class OwedPass {
 public:
  struct Leaf {
    QueueId queue;
    std::vector<OwedItem> left;  // that no free room takes, in the leaf's order
    Amounts owed;                // OWE: their sum
  };
  // `kept`: null where nobody keeps anything.
  OwedPass(const ClusterState& state, const KeptRoom* kept) : state_(state), rooms_(state, kept) {}

  // The next leaf, in step order, with what it is owed.
  void place(QueueId leaf, const std::vector<OwedItem>& items);
  const std::vector<Leaf>& leaves() const { return leaves_; }
  // What is still free: not held, kept, nor taken by items.
  FreeRooms& rooms() { return rooms_; }

 private:
  const ClusterState& state_;
  std::vector<Leaf> leaves_;
  FreeRooms rooms_;
};

}  // namespace weir
