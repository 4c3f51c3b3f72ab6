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
  // What may be done with the tracker on offer.
  struct Reach {
    const TrackerState& tracker;
    const KeptRoom* kept = nullptr;        // null: nobody keeps anything
    const ReserveHere* reserve = nullptr;  // null: nobody may
    std::optional<TimeMs> ends_by = {};    // only what ends by then may start
    JobId aside = {};  // whose reservation does not matter: it waits for that tracker itself
  };
  std::optional<Choice> choose_reserved(const Reservation& reserved, const Reach& reach) const;
  std::optional<KeptRoom> kept_room() const;
  std::optional<Choice> choice_of_gang(const Job& job, const Reach& reach) const;
  // Why; empty: it stands.
  std::string_view over(const Reservation& reserved, const KeptRoom* kept) const;
  // The first in line that may start on the tracker, or may reserve it.
  std::optional<Choice> first_in_line(const Reach& reach) const;
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
