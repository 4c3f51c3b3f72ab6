// What queues have had before this start of the JobTracker, as it was kept (tracker/past): totals
// of slot-time and jobs, also of users, and the last kills. Views are of both together, so a figure
// goes on where it was, and says since when it counts. The engine knows nothing of it: no decision
// depends on it. Engine's thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobqueue/model/queue_tree.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"
#include "views/queue_view.h"

namespace weir {

// Slots and containers stand side by side, as settings may bring the other: what does not count by
// now stays as it was, and is shown when it does.
struct QueuePast {
  struct Had {
    std::int64_t used_ms = 0, lost_ms = 0;
    friend bool operator==(const Had&, const Had&) = default;
  };
  struct User {
    std::string name;
    std::int64_t succeeded = 0, failed = 0, killed = 0;  // jobs
    std::int64_t used_map_ms = 0, used_reduce_ms = 0, lost_map_ms = 0, lost_reduce_ms = 0;
    std::map<std::string, Had> amounts = {};  // by dimension of containers
    bool empty() const;
    friend bool operator==(const User&, const User&) = default;
  };
  TimeMs since = 0;    // wall clock
  bool inner = false;  // jobs, use and losses are its own, as a leaf: besides those of its leaves
  QueueView::SlotTime maps, reduces;
  std::map<std::string, QueueView::SlotTime> amounts;  // by dimension of containers
  std::int64_t succeeded = 0, failed = 0, killed = 0;  // jobs
  std::vector<User> users;             // those who were there last come first
  std::vector<QueueView::Kill> kills;  // newest first
  friend bool operator==(const QueuePast&, const QueuePast&) = default;
};

// What of a leaf's view is to be kept; and of what was kept before that of which the view says
// nothing.
QueuePast past_of(const QueueView& queue, const QueuePast& before = {});

class Past {
 public:
  using Queues = std::map<std::string, QueuePast, std::less<>>;  // by dotted path

  static constexpr std::size_t kUsersShown = 50;  // besides those who have something here
  static constexpr std::size_t kKillsShown = 10;

  explicit Past(TimeMs started = 0, Queues queues = {});

  // As the engine's counters, see totals_after.
  void follow(const Settings& settings, const QueueTree& tree);
  // The view's own totals, before inner queues add up their leaves.
  void add_totals(QueueView& queue) const;
  // Behind the kills of this start.
  void add_kills(QueueView& queue) const;

 private:
  TimeMs started_;  // wall clock
  Queues queues_;
};

// Of all queues at one moment: an inner queue's is without what its leaves have.
Past::Queues pasts_of(const std::vector<QueueView>& queues, const Past::Queues& before);

}  // namespace weir
