// First in, first out where containers count: the job of the highest priority, then the one
// submitted first, gets all the room that it can use on a tracker, each queue within its maximum in
// every dimension. Derived state, on the engine's thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "jobqueue/policy/container_index.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

class ContainerFifo : public Policy {
 public:
  explicit ContainerFifo(const ClusterState& state);

  std::string_view name() const override { return "fifo"; }
  bool knows_containers() const override { return true; }
  std::optional<Choice> choose(const Offer& offer) override;
  void on_job_added(JobId job) override { index_.add(job); }
  void on_job_removed(JobId job) override { index_.remove(job); }
  void on_job_changed(JobId job, QueueId) override { index_.change(job); }
  void on_pending_changed(JobId job, TaskKind kind) override { index_.read(job, kind); }
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override { on_launched(attempt); }
  void on_cluster_changed() override;
  Preemption tick(TimeMs now) override;
  DurationMs tick_interval_ms() const override { return 60 * 1000; }
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  std::optional<Choice> choose_reserved(const Reservation& kept, const TrackerState& tracker) const;
  std::optional<Choice> choice_of_gang(const Job& job, const TrackerState& tracker,
                                       const ReserveHere* reserve) const;
  std::string_view over(const Reservation& kept) const;  // why; empty: it stands
  // The first in line that may start on the tracker (by then, if that is said), or may reserve it.
  std::optional<Choice> first_in_line(const TrackerState& tracker, std::optional<TimeMs> ends_by,
                                      const ReserveHere* reserve) const;
  // A task that comes first and waits for room below a maximum, or for the tracker that has room
  // for it: nothing takes it from below the maximum.
  struct Waiting {
    QueueId queue;
    const Resources* need;
  };
  // The queue on the job's way that is at its maximum for that, if any, with what reservations of
  // others keep and what `waiting` need; and whether all are short of it.
  std::optional<QueueId> at_maximum(const Job& job, const Resources& need,
                                    const std::vector<Waiting>& waiting = {}) const;
  bool short_on_the_way(QueueId leaf, const Resources& need) const;

  const ClusterState& state_;
  QueueBounds bounds_;
  bool bounded_ = false;  // a queue has a maximum
  ContainerIndex index_;  // one line for all
};

}  // namespace weir
