// In which order the queues of a family are asked for a free slot. Each queue with something
// pending has an entry in a tournament of its parent's: below its guarantee (smallest RUN/g first),
// below its allocation (RUN/AC), or merely below its maximum (RUN/g). It stands there for its first
// task: where that is too wide, the queue belongs further back, lest narrower tasks behind it take
// each slot that comes free. A first task that has no room below the maximum keeps the queue out.
// What is behind the first task stands in the last step as well. Queues guaranteed less than one
// slot stand there together, as one entry with the sum of their slots and guarantees, and take
// turns in it, least recently served first, so that none starves. Ratios are compared exactly, ties
// are settled by the order of the file. Keys are replaced one by one, in O(log n). On the engine's
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "capacity/queue_shares.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/queue_tree.h"
#include "jobqueue/policy/winner_tree.h"

namespace weir {

// The steps in which a free slot is offered.
enum class ServiceStep : std::uint8_t {
  kBelowGuarantee = 3,
  kBelowAllocation = 4,
  kBelowMaximum = 5
};

struct ServiceKey {
  std::int64_t running = 0;
  std::int64_t share = 0;   // running / share is compared; a share of 0 comes last
  std::uint32_t place = 0;  // among siblings; the entry of those that take turns comes last
  ServiceStep step = ServiceStep::kBelowMaximum;
  friend bool operator<(const ServiceKey& a, const ServiceKey& b);
};

class ServiceOrder {
 public:
  explicit ServiceOrder(const QueueTree& tree);

  // The queue's figures, the slots that its first task needs, or when it was last served, have
  // changed.
  void update(QueueId queue, const QueueLine& line, std::int64_t first_width,
              std::uint64_t last_served);

  // Hints that the queue will be updated soon.
  void prefetch(QueueId queue) const {
    __builtin_prefetch(&standings_[queue.index()]);
    if (const QueueId parent = tree_.parent(queue); parent.valid())
      families_[parent.index()].entries.prefetch(2 * places_[queue.index()]);
  }

  // Offers a slot to the children of `parent` in order, until `take(child, step)` says true; tells
  // whether one did.
  template <class Take>
  bool offer(QueueId parent, Take take) const {
    const auto& children = tree_.node(parent).children;
    const Family& family = families_[parent.index()];
    return family.entries.visit([&](const ServiceKey& key) {
      if (key.place != kTurns) return static_cast<bool>(take(children[key.place], key.step));
      for (const auto& [last_served, place] : family.turns) {
        if (take(children[place], ServiceStep::kBelowMaximum)) return true;
      }
      return false;
    });
  }

 private:
  static constexpr std::uint32_t kTurns = UINT32_MAX;
  struct Family {
    // Two places for each child, of its first task and of those behind it, and one for those that
    // take turns.
    WinnerTree<ServiceKey> entries;
    std::set<std::pair<std::uint64_t, std::uint32_t>> turns;  // last served, place
    std::int64_t turns_running = 0;  // of all members under one slot, waiting or not
    std::int64_t turns_weight = 0;
    std::size_t small = 0;  // members with a Standing that says something
  };
  // What stands in its family's turns for one queue.
  struct Standing {
    std::optional<std::uint64_t> turn;
    std::int64_t turns_running = 0;
    std::int64_t turns_weight = 0;
    bool says_something() const { return turn || turns_running != 0 || turns_weight != 0; }
  };
  static void set(WinnerTree<ServiceKey>& entries, std::size_t place,
                  const std::optional<ServiceKey>& now);
  void update_turn(Family& family, Standing& standing, std::uint32_t place, const QueueLine& line,
                   std::int64_t first_width, std::uint64_t last_served);

  const QueueTree& tree_;
  std::vector<Family> families_;       // by parent
  std::vector<Standing> standings_;    // by queue
  std::vector<std::uint32_t> places_;  // by queue: index among its siblings
};

}  // namespace weir
