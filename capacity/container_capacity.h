// The capacity policy where containers count (containers.md, sections 3, 4 and 7): the same
// guarantees and the same arithmetic of allocations as of slots, in every dimension by itself
// (container_standing.h). A queue stands for its head on a tracker (container_heads.h), the first
// task by its own order that could start there; it has the step and the key of its head: within its
// guarantee (RUN / GC, the largest over all dimensions), within what is allocated to it (RUN / AC),
// or beyond. What a queue does not lend is left free for it. Derived state, settled when it is
// asked for; on the engine's thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "capacity/container_claims.h"
#include "capacity/container_heads.h"
#include "capacity/container_standing.h"
#include "capacity/container_users.h"
#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/policy.h"

namespace weir {

class ContainerCapacity : public Policy, public Claims {
 public:
  ContainerCapacity(const ClusterState& state, PolicyMemory& memory);

  std::string_view name() const override { return "capacity"; }
  bool knows_containers() const override { return true; }
  std::optional<Choice> choose(const Offer& offer) override { return choose(offer, false); }
  // The same, by looking at every queue, for tests.
  std::optional<Choice> choose_by_walking(const Offer& offer) { return choose(offer, true); }
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override { standing_.index().remove(job); }
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override { standing_.index().read(job, kind); }
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override;
  void on_reserved(JobId, QueueId leaf) override { heads_.reserved(leaf); }
  void on_reserve_turn(JobId job) override { heads_.turn_changed(state_.job(job).queue); }
  void on_cluster_changed() override { standing_.resized(); }
  Preemption tick(TimeMs now) override;
  Claims* claims() override { return this; }
  void review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) override;
  void claim(std::vector<ClaimStep>& steps) override;
  DurationMs tick_interval_ms() const override { return settings_.interval_ms; }
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  QueueUse use(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  using Head = ContainerHeads::Head;
  using Reach = ContainerHeads::Reach;
  std::optional<Choice> choose(const Offer& offer, bool by_walking);
  // `kept`: what others keep of the cluster's room; null: nobody does.
  std::optional<Choice> choose_reserved(const Reservation& reserved, const TrackerState& tracker,
                                        const KeptRoom* kept, bool by_walking);
  std::optional<Choice> choose_held(const TrackerState& tracker, const KeptRoom* kept) const;
  std::optional<Choice> reserves_next(const ReserveHere& reserve, Reach reach, bool by_walking);
  Head who_reserves(const Head& head, Reach reach, bool by_walking);
  // What starts, or reserves, if anything: the head's task.
  std::optional<Choice> task_of(const Head& head, const Reach& reach) const;
  std::optional<KeptRoom> kept_room() const;
  std::string_view why_it_may_not_wait(const Job& job, const Resources& need) const;
  // Why; empty: it stands.
  std::string_view over(const Reservation& reserved, const KeptRoom* kept) const;
  bool is_in_the_way(const Assembly& gang, TimeMs now) const;
  void make_pass();

  const ClusterState& state_;
  CapacitySettings settings_;
  mutable ContainerStanding standing_;  // questions settle what has changed
  ContainerUsers users_;
  ContainerHeads heads_;
  std::vector<Amounts> launched_;  // of each leaf, since the last pass
  OwedLists owed_;
  std::optional<OwedPass> pass_;   // between review and tick
};

}  // namespace weir
