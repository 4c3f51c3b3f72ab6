// Jobs with launchable tasks of one class, in one order over the whole cluster, less those whose
// queue, or one above it, is at its maximum. Jobs stand in lanes: a lane is of one limiting queue
// (one that declares a `maximum`; the root stands for the cluster) and of one task width. It holds
// the jobs whose nearest limiting queue that is, and the lanes of the limiting queues next beneath,
// each in the place of its first job. A lane stands in the one above exactly while it is not empty
// and its queue has room for a task of its width: a queue at its maximum is passed in one step,
// and what changes its room touches the lanes on the way to the root alone, O(log n) each and one
// step a width. A wide task is not overtaken: what stands behind it in its queue starts only where
// that leaves the queue room for it, so narrower lanes stand up to there (`until`); one that no
// queue above it will ever have room for holds nobody up. Derived state, on the engine's thread.
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
  // Queues have room for nothing until follow_all() says otherwise.
  explicit WaitingJobs(const QueueTree& tree);

  // The nearest limiting queue, from this one up; the root if there is none. That above another
  // one is limiter(parent).
  QueueId limiter(QueueId queue) const { return gates_[gate_of_[queue.index()]].queue; }
  // The slots that the maximums from the queue up leave: negative if it runs more than it may.
  std::int64_t room(QueueId queue) const;
  // Sets the rooms of the limiting queues that the queue lies in or is: each as `running(limiting)`
  // says, its maximum less that.
  template <class Running>
  void follow(QueueId queue, Running running) {
    for (std::uint32_t g = gate_of_[queue.index()]; g != kRoot; g = gates_[g].above) {
      set_room(g, gates_[g].maximum - running(gates_[g].queue));
    }
  }
  // And of all that there are, whose maximums may have changed.
  template <class Maximum, class Running>
  void follow_all(Maximum maximum, Running running) {
    for (std::uint32_t g = 1; g < gates_.size(); ++g) {
      Gate& gate = gates_[g];
      gate.maximum = maximum(gate.queue);
      gate.widest_ever = std::min(gate.maximum, gates_[gate.above].widest_ever);
    }
    for (std::uint32_t g = 1; g < gates_.size(); ++g) {
      gates_[g].room = gates_[g].maximum - running(gates_[g].queue);
      settle(g);
    }
  }
  // Whether a task may start that is not in line, a second attempt: where it takes no room that
  // others wait for.
  bool has_room_beside(QueueId queue, std::int64_t width) const;

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
      line_up({lane.items.begin(), lane.items.end(), std::nullopt});
    }
    while (!ahead_.empty()) {
      std::pop_heap(ahead_.begin(), ahead_.end(), later);
      Cursor next = ahead_.back();
      ahead_.pop_back();
      if (const Lane* lane = next.at->lane) {
        line_up({lane->items.begin(), lane->items.end(), sooner(next.until, lane->until)});
      } else if (take(next.at->order.id)) {
        return;
      }
      ++next.at;
      line_up(next);
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

  // The widest task that the maximums from the queue up leave room for when nothing runs.
  std::int64_t widest_ever(QueueId queue) const {
    return gates_[gate_of_[queue.index()]].widest_ever;
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
    std::optional<JobOrder> until;      // what is not before this waits behind a wider task
  };
  using Lanes = std::map<std::int64_t, Lane>;  // by width, none empty
  // A limiting queue; the first is the root, which limits nothing.
  struct Gate {
    QueueId queue;
    std::uint32_t above = 0;
    std::int64_t maximum = 0;      // slots
    std::int64_t widest_ever = 0;  // the least of its maximum and those above
    std::int64_t room = 0;
    Lanes lanes;
  };
  struct Cursor {
    std::set<Item>::const_iterator at, end;
    std::optional<JobOrder> until;
  };
  static constexpr std::uint32_t kRoot = 0;

  static bool later(const Cursor& a, const Cursor& b) { return b.at->order < a.at->order; }
  using Until = std::optional<JobOrder>;
  static Until sooner(const Until& a, const Until& b) { return !a || (b && *b < *a) ? b : a; }
  static std::int64_t count(const Lane& lane, const Until& from, const JobOrder& until);
  void line_up(const Cursor& cursor) {
    if (cursor.at == cursor.end || (cursor.until && !(cursor.at->order < *cursor.until))) return;
    ahead_.push_back(cursor);
    std::push_heap(ahead_.begin(), ahead_.end(), later);
  }
  void set_room(std::uint32_t gate, std::int64_t slots);
  Until first_passed(const Gate& gate, std::int64_t width) const;
  bool stand(Gate& gate, std::int64_t width, Lane& lane);
  void settle(std::uint32_t gate);

  std::vector<Gate> gates_;
  std::vector<std::uint32_t> gate_of_;  // by QueueId: the nearest
  std::vector<Cursor> ahead_;           // of a visit: a heap, the first in order on top
};

}  // namespace weir
