// The capacity policy (HADOOP-3445): every queue has a guaranteed share of the slots; what it does
// not want flows to the others, and back when it is wanted again. A free slot goes first to whoever
// it is held or reserved for, then to the claims by deadline, then, level by level in the tree, to
// the queue furthest below its guarantee, then furthest below what is allocated to it now, then to
// any that may still grow; within a leaf to the first job whose user is within his limit. Maps
// before reduces. A queue short of its guarantee gets a claim, and a claim that is due kills
// (claim_review.cpp, kill_planner.h).
//
// The policy is an index over the ClusterState: calls after a change mark the leaf concerned, and
// the next question settles the marked ones only (QueueShares for the figures, ServiceOrder for who
// is next, LeafJobs for the jobs). Invariant: settled, the figures are a function of the state
// alone, whatever way it came about. Engine's thread.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capacity/capacity_settings.h"
#include "jobqueue/policy/job_table.h"
#include "jobqueue/policy/leaf_jobs.h"
#include "jobqueue/policy/leaf_need.h"
#include "capacity/queue_shares.h"
#include "capacity/service_order.h"
#include "capacity/short_leaves.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/placeable.h"
#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/speculation_facet.h"

namespace weir {

class CapacityPolicy : public Policy, public Claims, public Speculation {
 public:
  // `settings` may have a section for this policy; without it all defaults hold.
  CapacityPolicy(const ClusterState& state, PolicyMemory& memory);

  std::string_view name() const override { return "capacity"; }
  bool knows_containers() const override { return true; }
  void begin_offer(const Offer& offer) override;
  void end_offer(const Offer& offer) override;
  std::optional<Choice> choose(const Offer& offer) override;
  bool may_speculate(JobId job, TaskKind kind, const Offer& offer) override;
  bool comes_before(JobId a, JobId b, TaskKind kind) const override;
  void on_job_added(JobId job) override;
  void on_job_removed(JobId job) override;
  void on_job_changed(JobId job, QueueId old_queue) override;
  void on_pending_changed(JobId job, TaskKind kind) override;
  void on_launched(AttemptSlot attempt) override;
  void on_released(AttemptSlot attempt) override;
  void on_cluster_changed() override;
  void on_lending_changed(QueueId queue, Dimension dimension) override;
  void prefetch(const Attempt& attempt, int step) const override;
  Claims* claims() override { return this; }
  Speculation* speculation() override { return this; }
  void review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) override;
  void claim(std::vector<ClaimStep>& steps) override;
  Preemption tick(TimeMs now) override;
  DurationMs tick_interval_ms() const override { return settings_.interval_ms; }
  QueueFigures figures(QueueId queue, Dimension dimension) const override;
  QueueUse use(QueueId queue, Dimension dimension) const override;
  std::vector<Reason> explain(JobId job, TaskKind kind, TimeMs now) const override;
  RuleCounts rule_counts() const override;

 private:
  // A job as it stands in the indexes.
  struct JobEntry {
    QueueId leaf;
    UserId user;
    JobOrder order;
    std::uint32_t counted[kTaskKindCount] = {0, 0};  // launchable tasks in LeafJobs
    std::uint32_t dying[kTaskKindCount] = {0, 0};    // tasks in Leaf::dying
    std::size_t avoided_by = 0;                      // trackers that the job avoids
    std::optional<bool> placeable[kTaskKindCount];
  };
  // A leaf in one slot class: what each launch and end looks at stands together.
  struct alignas(64) Leaf {
    LeafJobs jobs;
    DyingTasks dying;
    UserLimit user_limit;  // as the settings say
    bool has_maximum = false;
  };
  // The indexes of one slot class.
  struct SlotClass {
    SlotClass(const QueueTree& tree, TaskKind kind, CapacitySettings::RedistributeBy by);
    QueueShares shares;
    ServiceOrder order;
    std::vector<Leaf> leaves;     // by QueueId; those of inner queues stay empty
    std::vector<QueueId> marked;  // leaves whose facts may have changed
    std::vector<bool> is_marked;
    std::vector<QueueId> changed;    // used while settling
    // Slots that the first task of each queue needs; of inner queues the one that they would give.
    std::vector<std::int64_t> first_width;
    // Leaves with tasks of several widths whose first job avoids some tracker: what they stand for
    // depends on who offers.
    std::set<QueueId> picky;
    bool was_wide = false;  // when last settled, some task needed more than one slot
    bool resized = true;             // the cluster's total may have changed
    std::vector<QueueId> to_review;  // queues whose claims or lending may have to follow
    std::vector<bool> in_review;
    std::vector<QueueId> had_freed;           // leaves with FreedSlots when last reviewed
    ShortLeaves short_of;
    std::uint64_t version = 0;   // grows when anything that the order of slots depends on changes
    struct DealtFor {
      std::uint64_t version = 0;
      std::int64_t free = -1, owed = 0;  // slots
      std::size_t freed = 0, kept = 0;   // entries in the book
      friend bool operator==(const DealtFor&, const DealtFor&) = default;
    };
    DealtFor dealt_for;
    std::map<QueueId, std::int64_t> dealt;  // the free slots, shared out in the order of slots
  };
  enum Rule : std::uint8_t {
    kTurnsTaken,
    kHardLimitHeld,
    kSoftLimitPassed,
    kReserved,
    kWidePassed,
    kServedOverdueClaim,
    kServedClaim,
    kServedHold,
    kDealtFreeSlots,
    kRuleCount
  };

  Leaf& leaf_of(QueueId leaf, TaskKind kind) { return classes_[index(kind)].leaves[leaf.index()]; }
  const Leaf& leaf_of(QueueId leaf, TaskKind kind) const {
    return classes_[index(kind)].leaves[leaf.index()];
  }
  void mark(QueueId leaf, TaskKind kind) const;
  // Brings what marked leaves hold and want up to date, and all but AC; and that, and the order.
  void settle_facts(TaskKind kind) const;
  void settle(TaskKind kind) const;
  void review_next(QueueId queue, TaskKind kind) const;
  void settle_order(TaskKind kind) const;
  // The bucket of the leaf's first task: the first in order that no user limit forbids, or, where
  // limits are soft and forbid all, the first. Null: nothing may launch.
  const LeafJobs::Bucket* first_bucket(QueueId leaf, TaskKind kind) const;
  // Wider tasks can never start in the leaf: a maximum on the way forbids them.
  std::int64_t widest_ever(QueueId leaf, TaskKind kind) const;
  std::int64_t first_width(QueueId queue, TaskKind kind) const;
  void stand(QueueId queue, TaskKind kind, std::int64_t first_width) const;
  void stand_again(QueueId leaf, TaskKind kind, std::int64_t first_width) const;
  LeafFacts leaf_facts(QueueId leaf, TaskKind kind) const;
  LeafNeed need_of(QueueId leaf, TaskKind kind) const;
  void read_user(QueueId leaf, UserId user, TaskKind kind);
  void read_job(JobId job, TaskKind kind);
  void set_dying(JobEntry& entry, JobId job, TaskKind kind, std::uint32_t tasks);
  void drop_job(JobEntry& entry, JobId job);
  JobEntry* find_entry(JobId job) const { return jobs_.find(job); }
  std::int64_t width(JobId job, TaskKind kind) const;

  // Whether any live tracker could ever run tasks of the job.
  bool placeable(const Job& job, JobEntry& entry, TaskKind kind);

  // capacity_choose.cpp. `free`: slots on the tracker.
  std::optional<Choice> choose_of(TaskKind kind, std::int64_t free, const Offer& offer);
  std::optional<Choice> choose_held(TaskKind kind, std::int64_t& free, const Offer& offer);
  std::optional<Choice> choose_reserved(const Reservation& kept, std::int64_t free,
                                        const Offer& offer);
  std::optional<Choice> choose_claimed(TaskKind kind, std::int64_t free, const Offer& offer,
                                       bool overdue_only);
  std::optional<Choice> choose_in_order(TaskKind kind, std::int64_t free, const Offer& offer);
  // What the queues on the way to a leaf leave it.
  struct Room {
    std::int64_t step = INT64_MAX;  // of what its step is about: GC, AC
    // Below every MAX, less what tasks with a tracker reserved take.
    std::int64_t maximum = INT64_MAX;
    // The tasks that are owed, in order, share `step`: also those that find no room here.
    bool shared = false;
    bool urgent = false;  // maps do not wait for locality
  };
  std::optional<Choice> ask(QueueId queue, TaskKind kind, std::int64_t free, const Room& room,
                            const Offer& offer);
  std::optional<Choice> ask_leaf(QueueId leaf, TaskKind kind, std::int64_t free, Room room,
                                 const Offer& offer);
  bool over_user_limit(QueueId leaf, TaskKind kind, const LeafJobs::Bucket& bucket) const;
  // Slots of wide tasks of the queue that have a tracker reserved.
  std::int64_t reserved_in(QueueId queue, TaskKind kind) const;
  std::int64_t reserved_by(JobId job, TaskKind kind) const;
  bool keeps_reservation(const Reservation& kept) const;
  std::optional<Choice> pick_task(JobId job, TaskKind kind, TrackerId tracker, bool urgent);
  bool may_run(const Job& job, TaskKind kind) const;  // under every maximum and hard limit
  bool within_limits(const Job& job,
                     TaskKind kind) const;  // likewise, whether it has a task or not
  // The limit of a user of the leaf whose next task has that width.
  std::int64_t user_limit(QueueId leaf, TaskKind kind, std::int64_t width) const;
  std::int64_t user_limit_shown(QueueId queue, TaskKind kind) const;

  // claim_review.cpp
  bool is_reviewed(const SlotClass& c) const;
  void review_freed(TaskKind kind);
  std::int64_t freed_in(QueueId leaf, TaskKind kind) const;
  void review_reservations(TaskKind kind, std::vector<ClaimStep>& steps) const;
  void review_lending(QueueId queue, TaskKind kind, std::vector<ClaimStep>& steps) const;
  void note_short(QueueId leaf, TaskKind kind, std::int64_t missing, std::int64_t claimed);
  void review_claims(QueueId leaf, TaskKind kind, std::vector<ClaimStep>& steps);
  void open_claims(TaskKind kind, std::vector<ClaimStep>& steps);
  bool free_slots_cover_all(TaskKind kind) const;
  struct Deal;  // free_slot_deal.cpp
  void deal_free_slots(TaskKind kind);
  // Slots short of min(GC, DEM), in whole tasks.
  std::int64_t shortfall(QueueId leaf, TaskKind kind) const;
  void plan_kills(TaskKind kind, TimeMs now, Preemption& plan) const;

  std::optional<Reason> explain_user(const Job& job, TaskKind kind) const;
  std::optional<Reason> explain_queues(const Job& job, TaskKind kind) const;
  std::optional<Reason> explain_claims(const Job& job, TaskKind kind, TimeMs now) const;
  std::optional<Reason> explain_others(const Job& job, TaskKind kind, TimeMs now) const;

  const ClusterState& state_;
  CapacitySettings settings_;
  LocalityDelay delay_;
  Placeable placeable_;
  // Questions settle what was marked: a cache, so `mutable`.
  mutable std::array<SlotClass, kTaskKindCount> classes_;
  JobTable<JobEntry> jobs_;
  std::vector<QueueId> lenders_;      // queues with a lend_after
  std::vector<std::uint64_t> asked_;  // by QueueId: in which round of claims it was asked
  std::uint64_t claim_round_ = 0;
  mutable std::array<std::uint64_t, kRuleCount> rules_{};
};

}  // namespace weir
