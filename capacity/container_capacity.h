// The capacity policy where containers count (containers.md, sections 3, 4 and 7): the same
// guarantees and the same arithmetic of allocations as of slots, in every dimension by itself. A
// queue stands for its head on a tracker, the first task by its own order that could start there;
// it has the step and the key of its head: within its guarantee (RUN / GC, the largest over all
// dimensions), within what is allocated to it (RUN / AC), or beyond. What a queue does not lend is
// left free for it. Derived state, settled when it is asked for; on the engine's thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "capacity/capacity_settings.h"
#include "capacity/container_claims.h"
#include "capacity/queue_shares.h"
#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/container_index.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

class ContainerCapacity : public Policy, public Claims {
 public:
  ContainerCapacity(const ClusterState& state, PolicyMemory& memory);

  std::string_view name() const override { return "capacity"; }
  bool knows_containers() const override { return true; }
  std::optional<Choice> choose(const Offer& offer) override;
  void on_job_added(JobId job) override { index_.add(job); }
  void on_job_removed(JobId job) override { index_.remove(job); }
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override { index_.read(job, kind); }
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override;
  void on_cluster_changed() override;
  Preemption tick(TimeMs now) override;
  Claims* claims() override { return this; }
  void review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) override;
  void claim(std::vector<ClaimStep>& steps) override;
  DurationMs tick_interval_ms() const override { return settings_.interval_ms; }
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  enum Step { kOverdueClaim = 1, kClaim, kWithinGuarantee, kWithinAllocation, kBeyond };
  // What a queue would start on the tracker on offer, or reserve it for.
  struct Head {
    TaskPick pick;
    const Size* size = nullptr;
    bool reserves = false;
    bool waits = false;  // for room below a maximum: where that is nothing passes it
    int step = kBeyond;
    Fraction key;
    TimeMs deadline = 0;  // of its claims
  };
  static bool before(const Head& a, const Head& b);  // of one step
  // What may be done with the tracker on offer.
  struct Reach {
    const TrackerState& tracker;
    Resources used;  // there, with what is held for claimants
    const ReserveHere* reserve = nullptr;  // null: nobody may
    std::optional<TimeMs> ends_by = {};    // only what ends by then may start
    bool overdue = false;                  // only overdue claims may
    bool starts(const ContainerItems::Bucket& bucket, const ClusterState& state) const;
  };
  std::optional<Choice> choose_reserved(const Reservation& kept, const Offer& offer) const;
  std::string_view over(const Reservation& kept) const;  // why; empty: it stands
  std::optional<Choice> choose_held(const TrackerState& tracker) const;
  std::optional<Head> head_of_claim(QueueId leaf, const Reach& reach) const;
  std::optional<Head> head_of(QueueId queue, const Reach& reach) const;
  std::optional<Head> head_of_leaf(QueueId leaf, const Reach& reach) const;
  // Its step and key, if its maximum lets it start; else nothing of the queue may start now.
  bool place(QueueId queue, Head& head) const;
  bool within_maximum(QueueId queue, JobId job, const Resources& need) const;
  // Of a task that finds room on another tracker, in queues that are short for it: whether it waits
  // for room below a maximum, or may start there. Nothing: it is not such a task.
  enum class Elsewhere { kWaits, kStarts };
  std::optional<Elsewhere> elsewhere(QueueId leaf, const Job& job, TaskKind kind) const;
  // Whether a task that starts before it leaves that room below the maximums on the way.
  bool leaves_room_for(const Resources& other, QueueId leaf, JobId job,
                       const Resources& need) const;
  // Every queue on the way up is short of what is allocated to it.
  bool short_on_the_way(QueueId leaf, const Resources& need) const;
  // `reserved`: by others of the user.
  bool over_user_limit(QueueId leaf, UserId user, const Resources& need,
                       const Amounts& reserved = {}) const;
  bool above_user_limit(QueueId leaf, UserId user) const;
  struct UserPart {
    std::int64_t has = 0, allowed = 0;
  };
  bool limits_users(QueueId leaf) const;
  UserPart user_part(QueueId leaf, UserId user, Dimension d, std::int64_t need) const;
  Amounts reserved_by_others(QueueId leaf, UserId user, JobId job) const;
  bool leaves_what_is_kept(QueueId leaf, const Resources& need) const;
  Amounts kept_idle(QueueId queue) const;  // OFF: of what it keeps, what does not run
  void make_pass();
  void settle() const;
  Amounts allocated(QueueId queue) const;

  const ClusterState& state_;
  CapacitySettings settings_;
  // Questions settle what has changed: caches, so `mutable`.
  mutable QueueBounds bounds_;
  std::vector<Amounts> launched_;  // of each leaf, since the last pass
  mutable ContainerIndex index_;
  mutable std::vector<QueueShares> shares_;  // by place of the dimension
  mutable bool resized_ = true;
  mutable std::vector<std::size_t> changed_;
  std::optional<OwedPass> pass_;   // between review and tick
};

}  // namespace weir
