// First in, first out over the whole cluster: the job of the highest priority, then the one
// submitted first, gets every slot it can use; queues only say who may submit. The smallest
// complete policy, and the example of docs/adding-a-policy.md. It keeps one ordered set of jobs
// with launchable tasks per class, and per queue how many slots they want, for the figures.
// Invariant: a job stands in the set of a class exactly while it has launchable tasks of it. Runs
// on the engine's thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "jobqueue/cluster_state.h"
#include "jobqueue/job_queue_manager.h"
#include "jobqueue/policy.h"

namespace weir {

class FifoPolicy : public Policy {
 public:
  FifoPolicy(const ClusterState& state, const Settings& settings);

  std::string_view name() const override { return "fifo"; }
  std::optional<Choice> choose(const Offer& offer) override;
  bool may_speculate(JobId, TaskKind, const Offer&) override { return true; }
  bool comes_before(JobId a, JobId b, TaskKind kind) const override;
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override;
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override;
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot) override {}  // what is running is in the state
  void on_cluster_changed() override {}      // it counts no slots
  Preemption tick(TimeMs) override { return {}; }
  DurationMs tick_interval_ms() const override { return 60 * 1000; }
  QueueFigures figures(QueueId queue, TaskKind kind) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  // A job as it stands in the sets: what must be undone when it changes.
  struct Entry {
    JobOrder order;
    QueueId leaf;
    std::int64_t slots[kTaskKindCount] = {0, 0};  // wanted by its launchable tasks
  };
  void set_slots(Entry& entry, TaskKind kind, std::int64_t slots);
  void read(JobId job, TaskKind kind);

  const ClusterState& state_;
  std::map<JobId, Entry> jobs_;
  std::set<JobOrder> waiting_[kTaskKindCount];
  std::vector<std::int64_t> pending_[kTaskKindCount];  // by QueueId, inner queues too
};

}  // namespace weir
