// Jobs with launchable tasks of one class, in one order over the whole cluster, less those whose
// queue, or one above it, is at its maximum. Jobs stand in lanes: a lane is of one limiting queue
// (one that declares a `maximum`; the root stands for the cluster) and of one task width. It holds
// the jobs whose nearest limiting queue that is, and the lanes of the limiting queues next beneath,
// each in the place of its first job. A lane stands in the one above exactly while it is not empty
// and its queue has room for a task of its width: a queue at its maximum is passed in one step,
// and what changes its room touches the lanes on the way to the root alone, O(log n) each.
// Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/job.h"
#include "jobqueue/model/queue_tree.h"

namespace weir {

class WaitingJobs {
 public:
  // Queues have room for nothing until set_room() says otherwise.
  explicit WaitingJobs(const QueueTree& tree);

  // The nearest limiting queue, from this one up; the root if there is none. That above another
  // one is limiter(parent).
  QueueId limiter(QueueId queue) const { return gates_[gate_of_[queue.index()]].queue; }
  // The slots that the maximums from the queue up leave: negative if it runs more than it may.
  std::int64_t room(QueueId queue) const;
  // Sets the rooms of the limiting queues that the queue lies in or is: each as `slots(limiting)`
  // says, its maximum less what it runs.
  template <class Slots>
  void follow(QueueId queue, Slots slots) {
    for (std::uint32_t g = gate_of_[queue.index()]; g != kRoot; g = gates_[g].above) {
      set_room(g, slots(gates_[g].queue));
    }
  }
  // And of all that there are.
  template <class Slots>
  void follow_all(Slots slots) {
    for (std::uint32_t g = 1; g < gates_.size(); ++g) set_room(g, slots(gates_[g].queue));
  }

  // Erased with what it was inserted with. `width`: slots of one task, at least 1.
  void insert(const JobOrder& job, QueueId leaf, std::int64_t width);
  void erase(const JobOrder& job, QueueId leaf, std::int64_t width);

  // Offers in order the jobs that may launch tasks of up to `widest` slots, until `take(job)` says
  // true.
  template <class Take>
  void visit(std::int64_t widest, Take take) {
    ahead_.clear();
    for (const auto& [width, lane] : gates_[kRoot].lanes) {
      if (width > widest) break;
      line_up({lane.items.begin(), lane.items.end()});
    }
    while (!ahead_.empty()) {
      std::pop_heap(ahead_.begin(), ahead_.end(), later);
      Cursor next = ahead_.back();
      ahead_.pop_back();
      if (const Lane* lane = next.at->lane) {
        line_up({lane->items.begin(), lane->items.end()});
      } else if (take(next.at->order.id)) {
        return;
      }
      if (++next.at != next.end) line_up(next);
    }
  }

  // The widest task of a job that its queues leave room for, in slots; 0: there is none.
  std::int64_t widest() const {
    const Lanes& lanes = gates_[kRoot].lanes;
    return lanes.empty() ? 0 : lanes.rbegin()->first;
  }
  // The first such job, whatever the width of its tasks, and that width.
  std::optional<std::pair<JobId, std::int64_t>> first() const {
    const Item* first = nullptr;
    std::int64_t its_width = 0;
    for (const auto& [width, lane] : gates_[kRoot].lanes) {
      const Item& head = *lane.items.begin();
      if (first != nullptr && *first < head) continue;
      first = &head;
      its_width = width;
    }
    if (first == nullptr) return std::nullopt;
    return std::pair(first->order.id, its_width);
  }

  // How many jobs get a slot before that one, once there is room for it: those before it in the
  // order, without those that are held back by a maximum that does not hold it back too.
  std::int64_t before(const JobOrder& job, QueueId leaf, std::int64_t width) const;

 private:
  struct Lane;
  struct Item {
    JobOrder order;  // of the job, or of the lane's first
    const Lane* lane = nullptr;
    friend bool operator<(const Item& a, const Item& b) { return a.order < b.order; }
  };
  struct Lane {
    std::set<Item> items;
    std::optional<JobOrder> stands_as;  // in the lane above
  };
  using Lanes = std::map<std::int64_t, Lane>;  // by width, none empty
  // A limiting queue; the first is the root, which limits nothing.
  struct Gate {
    QueueId queue;
    std::uint32_t above = 0;
    std::int64_t room = 0;
    Lanes lanes;
  };
  struct Cursor {
    std::set<Item>::const_iterator at, end;
  };
  static constexpr std::uint32_t kRoot = 0;

  static bool later(const Cursor& a, const Cursor& b) { return b.at->order < a.at->order; }
  static std::int64_t count_before(const Lane& lane, const JobOrder& job);
  void line_up(Cursor cursor) {
    ahead_.push_back(cursor);
    std::push_heap(ahead_.begin(), ahead_.end(), later);
  }
  void set_room(std::uint32_t gate, std::int64_t slots);
  void stand(std::uint32_t gate, Lanes::iterator lane);

  std::vector<Gate> gates_;
  std::vector<std::uint32_t> gate_of_;  // by QueueId: the nearest
  std::vector<Cursor> ahead_;           // of a visit: a heap, the first in order on top
};

}  // namespace weir
