// The fair scheduler where containers count (containers.md, sections 5 to 7): pools and their jobs
// divide the cluster by dominant resource (`drf`), by memory (`fair`), or in order (`fifo`, leaves
// only). A pool stands for its head on a tracker, the first task by its own order that could start
// there or reserve it: within its minimum share, within its fair share, or beyond; ties by name, of
// jobs by submit time. Derived state, settled when it is asked for; on the engine's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fair/container_pool_kills.h"
#include "fair/fair_settings.h"
#include "fair/pool_admission.h"
#include "fair/pool_amounts.h"
#include "fair/pool_heads.h"
#include "fair/pool_places.h"
#include "fair/pool_standing.h"
#include "fair/pool_tree.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/placeable.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/policy_memory.h"
#include "jobqueue/policy/pools_facet.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

class ContainerFair : public Policy, public Pools {
 public:
  ContainerFair(const ClusterState& state, PolicyMemory& memory);

  std::string_view name() const override { return "fair"; }
  bool knows_containers() const override { return true; }
  void begin_offer(const Offer& offer) override { delay_.begin(offer.now); }
  void end_offer(const Offer& offer) override { delay_.end(offer.now); }
  std::optional<Choice> choose(const Offer& offer) override;
  // The same, by looking at every pool and job, for tests.
  std::optional<Choice> choose_by_walking(const Offer& offer) { return choose(offer, true); }
  void on_job_listed(JobId job) override;
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override;
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override;
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override { on_launched(attempt); }
  void on_reserved(JobId job, QueueId) override { heads_.reserved(job); }
  void on_reserve_turn(JobId job) override { heads_.turn_changed(job); }
  void on_cluster_changed() override;
  Preemption tick(TimeMs now) override;
  DurationMs tick_interval_ms() const override { return settings_->update_interval_ms; }

  Pools* pools() override { return this; }
  std::string_view pool_of(JobId job) const override;
  Status check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const override;
  std::optional<Result<Destination>> check_move(const Caller& caller, const Job& job,
                                                const std::string& name) const override;
  bool limits_running_jobs() const override { return true; }
  std::vector<std::string> settings_findings(const Settings& settings) const override;
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override;
  void take_regrouped(std::vector<JobId>& jobs) override;
  std::vector<PoolFigures> pool_figures(TimeMs now) const override;
  JobFigures job_figures(JobId job, TaskKind kind) const override;
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;

 private:
  using JobLine = PoolAmounts::JobLine;
  using Head = PoolHeads::Head;
  using Reach = PoolHeads::Reach;

  // --- container_fair.cpp: following the state ---
  JobLine* find(JobId job) const { return standing_.find(job); }
  JobLine& enter(const Job& job);
  JobLine& enter(const Job& job, const std::string& path);
  void place_again(JobId first);
  void read(JobId job);
  void leave(JobLine& line);
  void count_in_queue(JobLine& line, QueueId queue);
  void pools_changed();
  PoolAdmission admission() const { return {state_, tree_, *settings_}; }
  bool have_the_same_jobs(PoolId pool, QueueId queue) const;
  void add_share(PoolId pool, Dimension dimension, QueueFigures& figures) const;

  // --- container_fair_update.cpp: pools that have been short for too long ---
  bool starved(PoolId pool) const;  // it, or one above it
  void update_stamps();
  PoolWants::Rules rules() const;
  PoolWants wants() const;
  bool could_run(const JobLine& line, const Job& job, TaskKind kind) const;
  std::optional<Reason> reason_of_width(const JobLine& line, const Resources& need) const;
  bool below_minimum(PoolId pool) const;
  bool below_half(PoolId pool) const;
  std::vector<ContainerPoolKills::Due> due(TimeMs now) const;
  void preempt(TimeMs now, const KeptRoom* kept, Preemption& plan);
  void explain_short(PoolId pool, TimeMs now, std::vector<Reason>& reasons) const;
  Reason reason_of_share(PoolId pool, const Resources& need) const;

  // --- container_fair_choose.cpp ---
  std::optional<Choice> choose(const Offer& offer, bool by_walking);
  // `kept`: what others keep of the cluster's room; null: nobody does.
  std::optional<Choice> choose_held(const TrackerState& tracker, const KeptRoom* kept) const;
  std::optional<Choice> choose_reserved(const Reservation& reserved, const TrackerState& tracker,
                                        const KeptRoom* kept) const;
  std::optional<Choice> reserves_next(const ReserveHere& reserve, Reach reach, bool by_walking);
  Head who_reserves(const Head& head, Reach reach, bool by_walking);
  // What starts, or reserves, if anything: the head's task.
  std::optional<Choice> task_of(const Head& head, const Reach& reach) const;
  std::optional<KeptRoom> kept_room() const;
  // Why; empty: it stands.
  std::string_view over(const Reservation& reserved, const KeptRoom* kept) const;

  const ClusterState& state_;
  PolicyMemory& memory_;
  std::shared_ptr<const FairSettings> settings_;
  PoolTree tree_;
  mutable Placeable placeable_;
  QueueBounds bounds_;
  mutable PoolAmounts amounts_;  // questions settle what has changed
  std::vector<Amounts> wanted_;  // by QueueId
  PoolStanding::Jobs jobs_;
  PoolPlaces places_;
  mutable std::string answer_;  // of pool_of()
  std::vector<JobId> regrouped_;  // jobs that came into another pool
  PoolStanding standing_;
  LocalityDelay delay_;
  PoolHeads heads_;
};

}  // namespace weir
