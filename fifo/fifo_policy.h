// First in, first out over the whole cluster: the job of the highest priority, then the one
// submitted first, gets every slot it can use; queues say who may submit, and how many slots their
// jobs may run together. The smallest complete policy, and the example of docs/adding-a-policy.md.
// It keeps the jobs with launchable tasks in order, per class (waiting_jobs.h), and per queue how
// many slots they want, for the figures. Invariants: a job waits in a class exactly while it has
// launchable tasks of it; the room of a queue is its maximum less its RUN. Runs on the engine's
// thread.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "fifo/waiting_jobs.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/speculation_facet.h"

namespace weir {

class FifoPolicy : public Policy, public Speculation {
 public:
  explicit FifoPolicy(const ClusterState& state);

  std::string_view name() const override { return "fifo"; }
  bool knows_containers() const override { return true; }
  std::optional<Choice> choose(const Offer& offer) override;
  std::optional<Choice> choose_of(TaskKind kind, std::int64_t free, const Offer& offer);
  bool may_speculate(JobId job, TaskKind kind, const Offer& offer) override;
  bool comes_before(JobId a, JobId b, TaskKind kind) const override;
  Speculation* speculation() override { return this; }
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override;
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override;
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override;
  void on_cluster_changed() override;
  Preemption tick(TimeMs) override { return {}; }
  DurationMs tick_interval_ms() const override { return 60 * 1000; }
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  // A job as it stands in the order: what must be undone when it changes.
  struct Entry {
    JobOrder order;
    QueueId leaf;
    std::int64_t slots[kTaskKindCount] = {0, 0};  // wanted by its launchable tasks
  };
  void set_slots(Entry& entry, TaskKind kind, std::int64_t slots, std::int64_t width);
  void read(JobId job, TaskKind kind);
  void follow_room(QueueId queue, TaskKind kind);

  const ClusterState& state_;
  std::map<JobId, Entry> jobs_;
  WaitingJobs waiting_[kTaskKindCount];
  std::vector<QueueShare> shares_[kTaskKindCount];     // by QueueId
  std::vector<std::int64_t> maximum_[kTaskKindCount];  // MAX by QueueId
  std::vector<std::int64_t> pending_[kTaskKindCount];  // by QueueId, inner queues too
};

}  // namespace weir
