// The tasks that a pool wants, in the order in which it would give them if each found room: so that
// OWED of a bound (containers.md 3.2) is the first of them that are within it. What is taken counts
// as running, for its job and for all pools above it. Made for one check, off the heartbeat path: a
// task costs O(log jobs) and a look at each pool below the one that is asked.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fair/pool_amounts.h"

namespace weir {

class PoolWants {
 public:
  using JobLine = PoolAmounts::JobLine;
  struct Want {
    const JobLine* job = nullptr;
    TaskKind kind = TaskKind::kMap;
    const Size* size = nullptr;
  };
  struct Rules {
    // Whether some tracker could run tasks of the group, and all maximums on its way let one.
    std::function<bool(const Job&, TaskKind)> could_run;
    // Whether the job's queues let it run a task of that need, with what is taken in them.
    std::function<bool(const Job&, const Resources&, const std::map<QueueId, Amounts>&)> may;
    std::function<const JobLine*(JobId)> line_of;  // null: none
  };

  PoolWants(const ClusterState& state, const PoolTree& tree, const PoolAmounts& amounts,
            Rules rules)
      : state_(state), tree_(tree), amounts_(amounts), rules_(std::move(rules)) {}

  // The next task that is owed within a bound, `within(running, need)`: what could never be within
  // it is passed, and what is not now ends the list, else what stands behind would take its room.
  template <class Within>
  std::optional<Want> owed(PoolId pool, Within within) {
    while (const auto want = first(pool)) {
      if (within(running(pool), want->size->need)) return want;
      if (within(Amounts{}, want->size->need)) return std::nullopt;
      pass(*want);
    }
    return std::nullopt;
  }

  std::optional<Want> first(PoolId pool);
  // Of what first() has said:
  void take(const Want& want);
  void pass(const Want& want);  // the group is left out, until all that were passed come back
  void show_passed();

  Amounts running(PoolId pool) const;

 private:
  struct Entry {
    Priority priority = Priority::kNormal;  // where the leaf goes in order
    PoolRank rank;
    const JobLine* job = nullptr;
    TaskKind kind = TaskKind::kMap;
    // Heaps have the greatest first.
    friend bool operator<(const Entry& a, const Entry& b) {
      if (a.priority != b.priority) return b.priority < a.priority;
      if (a.rank < b.rank || b.rank < a.rank) return b.rank < a.rank;
      return b.job->tie < a.job->tie;
    }
  };
  struct Taken {
    Amounts amounts;
    std::map<TaskKind, std::uint32_t> tasks;
  };

  std::vector<Entry>& leaf(PoolId pool);
  std::optional<Want> first_of_leaf(PoolId leaf);
  // Of all pools on the way, with what they run, and what is kept in them for other jobs.
  bool below_maximums(const JobLine& job, const Resources& need) const;
  Amounts kept_for_others(PoolId pool, const JobLine& job) const;
  void enter(const JobLine& job, std::vector<Entry>& heap) const;
  void next_of(const JobLine& job);

  const ClusterState& state_;
  const PoolTree& tree_;
  const PoolAmounts& amounts_;
  Rules rules_;
  std::map<PoolId, std::vector<Entry>> leaves_;  // heaps, made when they are first asked
  std::set<std::pair<JobId, TaskKind>> passed_;
  std::map<JobId, Taken> of_job_;
  std::map<PoolId, Amounts> of_pool_;
  std::map<QueueId, Amounts> of_queue_;
};

}  // namespace weir
