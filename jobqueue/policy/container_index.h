// The jobs that may be scheduled where containers count, by the leaf that each stands in (a queue,
// a pool, or one line for all): their groups in order (container_items.h), and what they want and
// what of it is dying, in every dimension. Every policy of containers has one, and passes on what
// it is told. Derived state, on the engine's thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "jobqueue/policy/container_bounds.h"
#include "jobqueue/policy/container_items.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/placeable.h"

namespace weir {

class ContainerIndex {
 public:
  struct Rules {
    std::function<std::size_t(const Job&)> leaf_of;
    std::function<JobOrder(const Job&)> order_of;
    // Whether the maximums on its way let a task of that need ever run.
    std::function<bool(const Job&, const Resources&)> could_run;
    bool by_queue = false;  // leaves are not queues: what pends is counted for these too
  };
  ContainerIndex(const ClusterState& state, std::size_t leaves, Rules rules);

  void add(JobId job);
  void remove(JobId job);
  void change(JobId job);  // its leaf, its order, or the trackers that it avoids
  void read(JobId job, TaskKind kind);
  void cluster_changed();

  struct Leaf {
    ContainerItems items;
    Amounts pending;  // launchable, and some tracker and its queues could run it
    Amounts dying;    // wanted again, not yet launchable
  };
  const Leaf& leaf(std::size_t place) const { return leaves_[place]; }
  // Some of it is launchable, and some tracker and its queues could run it.
  bool wants(JobId job, TaskKind kind) const;
  // What is launchable in the queue and all below it; counted by queue only.
  const Amounts& pending_in(QueueId queue) const { return pending_in_[queue.index()]; }
  // Leaves that have changed since this was last asked.
  bool any_changed() const { return !changed_.empty(); }
  void take_changed(std::vector<std::size_t>& out);
  void mark(std::size_t place);

 private:
  struct Entry {
    std::size_t leaf = 0;
    QueueId queue;
    UserId user;
    JobOrder order;
    struct Counted {
      const Size* size = nullptr;
      std::uint32_t launchable = 0;
      std::uint32_t dying = 0;
    };
    struct Kind {
      Counted counted;
      DurationMs time_limit_ms = 0;
      bool picky = false;
    };
    boost::container::small_vector<Kind, 2> kinds;  // in their order
  };
  void count(Entry& entry, TaskKind kind, const Size* size, std::uint32_t launchable,
             std::uint32_t dying);
  void add_up(const Entry& entry, const Entry::Counted& counted, std::int64_t sign);
  static std::size_t place_of(TaskKind kind) {
    return is_group(kind) ? group_number(kind) : index(kind);
  }

  const ClusterState& state_;
  Rules rules_;
  Placeable placeable_;
  JobTable<Entry> jobs_;
  std::vector<Leaf> leaves_;
  std::vector<Amounts> pending_in_;  // by QueueId
  std::vector<std::size_t> changed_;
  std::vector<bool> is_changed_;
};

}  // namespace weir
