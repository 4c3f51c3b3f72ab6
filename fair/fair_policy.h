// The fair policy (fair.md): jobs stand in pools, pools in a tree, and each is to have its fair
// share of the slots. A free slot goes to the pool furthest below its minimum share, then to the
// one that runs least for its weight, and within it to the job that runs least for its; a pool that
// stays below its shares for too long may preempt (pool_kills.h). Maps and reduces alternate on a
// tracker. Queues decide who may submit, which jobs run, and how many slots theirs may hold.
//
// The policy is an index over the ClusterState: a Standings for each class of slots, told of every
// change; what has changed is read, and settled, when it is asked. Invariant: settled, it is a
// function of the state, its memory and the time, whatever way they came about. What depends on the
// past (deficits, since when a pool is short) is in the state's PolicyMemory. Engine's thread.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fair/deficit_order.h"
#include "fair/fair_settings.h"
#include "fair/load_manager.h"
#include "fair/order_labels.h"
#include "fair/pool_admission.h"
#include "fair/pool_kills.h"
#include "fair/pool_places.h"
#include "fair/pool_tree.h"
#include "fair/standings.h"
#include "fair/task_selector.h"
#include "fair/weight_adjuster.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/prefetch.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/locality_delay.h"
#include "jobqueue/policy/placeable.h"
#include "jobqueue/policy/copy_split_facet.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/pools_facet.h"
#include "jobqueue/policy/speculation_facet.h"
#include "jobqueue/policy/policy_memory.h"

namespace weir {

class FairPolicy : public Policy, public Pools, public CopySplit, public Speculation {
 public:
  // By its section of the settings; without one all defaults hold.
  FairPolicy(const ClusterState& state, PolicyMemory& memory);

  std::string_view name() const override { return "fair"; }
  bool knows_containers() const override { return true; }
  void begin_offer(const Offer& offer) override;
  void end_offer(const Offer& offer) override;
  std::optional<Choice> choose(const Offer& offer) override;
  bool may_speculate(JobId job, TaskKind kind, const Offer& offer) override;
  bool comes_before(JobId a, JobId b, TaskKind kind) const override;
  Speculation* speculation() override { return this; }
  CopySplit* copies() override { return this; }
  std::int64_t factor() const override { return copies_ ? settings_->copy_factor : 0; }
  std::optional<Choice> choose_compute(const Offer& offer) override;
  void on_copied(AttemptSlot attempt) override;
  void on_job_listed(JobId job) override;
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override;
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override;
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override;
  void on_cluster_changed() override;
  void prefetch(const Attempt& attempt, int step) const override;
  Preemption tick(TimeMs now) override;
  DurationMs tick_interval_ms() const override { return settings_->update_interval_ms; }
  void takes_over() override;

  // The view holds until the next question.
  Pools* pools() override { return this; }
  std::string_view pool_of(JobId job) const override;
  Status check_submission(const Caller& caller, const JobSpec& spec, QueueId leaf) const override;
  std::optional<Result<Destination>> check_move(const Caller& caller, const Job& job,
                                                const std::string& name) const override;
  std::vector<std::string> settings_findings(const Settings& settings) const override;
  bool limits_running_jobs() const override { return limits_jobs_; }
  void running_groups(const Job& job, std::vector<RunningGroup>& groups) const override;
  void take_regrouped(std::vector<JobId>& jobs) override;
  std::vector<PoolFigures> pool_figures(TimeMs now) const override;
  JobFigures job_figures(JobId job, TaskKind kind) const override;
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;
  RuleCounts rule_counts() const override;

 private:
  using TieKey = std::tuple<TimeMs, std::string, JobId>;
  // A job as it stands in the indexes: unfinished, or with tasks that still run.
  struct alignas(kCacheLine) JobEntry {
    PoolId pool;
    QueueId queue;
    bool listed = false;                           // unfinished
    bool runnable = false;                         // may be scheduled
    bool joined = false;                           // stands in the Standings
    bool unread[kTaskKindCount] = {false, false};  // something may have changed since read()
    std::optional<bool> placeable[kTaskKindCount];
    TimeMs weight_until[kTaskKindCount] = {kNever, kNever};
    std::int64_t queue_pending[kTaskKindCount] = {0, 0};  // counted in the queue's
    JobStand stand[kTaskKindCount];
    DeficitOrder::Place in_line[kTaskKindCount] = {0, 0};  // under `algorithm: deficit`
    Share guarantee[kTaskKindCount] = {0, 0};              // likewise, of its pool's minimum share
    TieKey tie;                                            // while joined
    std::unique_ptr<JobStand> copies;                      // likewise, with copy-compute splitting
  };
  // One heartbeat, from begin_offer() on.
  struct Beat {
    TrackerId tracker;
    std::array<std::int64_t, kTaskKindCount> running_tasks{};  // when it began
    std::array<std::int64_t, kTaskKindCount> running_slots{};
    std::array<std::int64_t, kTaskKindCount> free{};
    std::array<bool, kTaskKindCount> closed{};  // nobody launches any more of the kind
    bool gathers = false;                       // places to copy stay free for a wide reduce
  };
  enum Rule : std::uint8_t {
    kServedNeedy,
    kServedHold,
    kReserved,
    kWidePassed,
    kPassedForLocality,
    kLoadCapped,
    kDealtShares,
    kOverBudget,
    kInDeficitOrder,
    kGrantedSlots,
    kGatheredPlaces,
    kRuleCount
  };

  // --- fair_policy.cpp: following the state ---
  JobEntry* find_entry(JobId job) const { return jobs_.find(job); }
  JobEntry& make_entry(const Job& job);
  void follow_move(JobId job);
  void sync(JobId job);
  void join(JobEntry& entry, const Job& job);
  void leave(JobEntry& entry);
  void label(JobEntry& entry);
  void read(JobEntry& entry, const Job& job, TaskKind kind) const;
  void follow(JobEntry& entry, JobId job, TaskKind kind);
  void set_weight(JobEntry& entry, const Job& job, TaskKind kind, JobFacts& facts) const;
  void forget_weight(JobEntry& entry, TaskKind kind) const;
  void refresh_weights() const;
  void count_queue_pending(JobEntry& entry, TaskKind kind, std::int64_t slots) const;
  void find_queue_maximums();
  void settle() const;

  // --- fair_places.cpp ---
  void place_again(JobId first);
  PoolId enter_pool(const std::string& path);
  void leave_pool(PoolId pool);

  // --- fair_choose.cpp ---
  // The slots on offer that are looked at.
  struct Slots {
    const Offer& offer;
    TaskKind kind;
    std::int64_t free;
    bool urgent = false;  // whoever takes them does not wait for locality
    bool copies = false;  // they are places for reduces to copy in
  };
  std::optional<Choice> choose_kept(TaskKind kind, std::int64_t& free, const Offer& offer);
  bool may_give_more(TaskKind kind, const Offer& offer) const;  // in this heartbeat
  bool under_load_cap(TaskKind kind, std::int64_t free) const;
  std::optional<TaskKind> next_kind(const Offer& offer,
                                    const std::array<std::int64_t, kTaskKindCount>& free,
                                    const std::array<bool, kTaskKindCount>& kept);
  std::int64_t load_cap(TaskKind kind, const TrackerState& tracker,
                        std::int64_t running_here) const;
  // `room`: what the pools above allow.
  std::optional<Choice> ask(PoolId pool, const Slots& slots, std::int64_t room);
  std::optional<Choice> ask_leaf(PoolId leaf, const Slots& slots, std::int64_t room);
  std::optional<Choice> ask_job(JobId job, const Slots& slots, bool urgent);
  std::int64_t pool_room(PoolId pool, TaskKind kind) const;
  std::int64_t room_in(const Standings& standings, PoolId pool) const;
  std::int64_t queue_room(QueueId queue, TaskKind kind) const;  // below all maximums on its way
  std::int64_t room_below_maximum(QueueId queue, TaskKind kind) const;

  // --- fair_copies.cpp: copy-compute splitting ---
  // A reduce that has copied and waits for its slots on the tracker at hand.
  struct Waiting {
    TaskKey task;
    const JobEntry* entry = nullptr;
    std::int64_t width = 1;
    std::uint64_t launch_order = 0;
  };
  // Which of them are asked: those of a pool and all below it, or of a job.
  struct Waiters {
    PoolId pool;
    JobId job;
  };
  bool splits(TaskKind kind) const { return copies_ && kind == TaskKind::kReduce; }
  const Standings& standings_for(const Slots& slots) const {
    return slots.copies ? *copies_ : standings_[index(slots.kind)];
  }
  // For launches: a reduce begins by copying where that is split off.
  const Standings& standings_for(TaskKind kind) const {
    return splits(kind) ? *copies_ : standings_[index(kind)];
  }
  void join_copies(JobEntry& entry);
  void leave_copies(JobEntry& entry);
  void read_copies(JobEntry& entry, const Job& job) const;
  void set_copies(JobEntry& entry, const Job& job, JobFacts facts) const;
  bool may_copy(const PoolJobs::Bucket& bucket, const Slots& slots);
  std::optional<Waiting> first_waiting(const Offer& offer, const Waiters& who) const;
  bool comes_before(const Waiting& a, const Waiting& b) const;
  bool stands_before(const JobEntry& a, const JobEntry& b, TaskKind kind) const;
  Reason explain_copies(const Job& job) const;

  // --- fair_deficit.cpp: under `algorithm: deficit` ---
  DeficitKey deficit_key(const JobEntry& entry, TaskKind kind) const;
  void line_up(JobEntry& entry, TaskKind kind) const;
  void deal_guarantees();
  void open_accounts(JobId job);
  void close_accounts(JobId job);
  void count_running(JobId job, TaskKind kind);
  void update_deficits(TimeMs now);
  std::optional<Choice> ask_in_line(PoolId within, const Slots& slots);

  // --- fair_update.cpp ---
  void deal_shares() const;
  void update_stamps();
  Preemption preempt(TimeMs now);
  PoolKills::Due due(PoolId pool, TaskKind kind, TimeMs now) const;
  std::int64_t unmet(PoolId pool, TaskKind kind, TimeMs now) const;
  bool starved(PoolId pool, TaskKind kind, TimeMs now) const;

  // --- fair_figures.cpp ---
  std::set<std::string> empty_pools() const;
  PoolFigures figures_of_empty(const std::string& path) const;
  std::optional<Reason> explain_width(const JobEntry& entry, const Job& job, TaskKind kind) const;
  void explain_slots(const JobEntry& entry, const Job& job, TaskKind kind,
                     std::vector<Reason>& reasons) const;
  void explain_unmet(PoolId pool, TaskKind kind, TimeMs now, std::vector<Reason>& reasons) const;
  PoolAdmission admission() const { return {state_, tree_, *settings_}; }

  const ClusterState& state_;
  PolicyMemory& memory_;
  std::shared_ptr<const FairSettings> settings_;
  std::unique_ptr<WeightAdjuster> adjuster_;
  std::unique_ptr<LoadManager> load_manager_;
  std::unique_ptr<TaskSelector> selector_;
  LocalityDelay delay_;
  mutable Placeable placeable_;
  PoolTree tree_;
  // Questions settle what was marked: a cache, so `mutable`.
  mutable std::array<Standings, kTaskKindCount> standings_;
  mutable std::optional<Standings> copies_;  // places to copy in, with copy-compute splitting
  bool by_deficit_ = false;
  mutable std::array<DeficitOrder, kTaskKindCount> lines_;  // under `algorithm: deficit`
  mutable std::array<std::set<PoolId>, kTaskKindCount> guarantees_stale_;  // leaves; likewise
  JobTable<JobEntry> jobs_;
  mutable std::vector<std::pair<JobId, TaskKind>> unread_;                 // whose entries say so
  PoolPlaces places_;
  std::vector<JobId> regrouped_;  // jobs that came into another pool, while pools have limits
  OrderLabels<TieKey> ties_;
  mutable std::set<std::tuple<TimeMs, JobId, TaskKind>>
      weights_end_;  // when answers of the adjuster cease to hold
  mutable std::vector<std::int64_t> queue_pending_[kTaskKindCount];  // by QueueId, inner ones too
  std::vector<QueueShare> queue_shares_[kTaskKindCount];             // by QueueId
  std::vector<std::int64_t> queue_maximum_[kTaskKindCount];          // MAX by QueueId
  std::vector<bool> queue_limited_;  // by QueueId: it or one above it has a maximum
  Beat beat_;
  bool limits_jobs_ = false;
  mutable std::string answer_;     // of pool_of()
  mutable std::array<std::uint64_t, kRuleCount> rules_{};
};

}  // namespace weir
