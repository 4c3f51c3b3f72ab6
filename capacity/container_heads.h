// Heads of queues on a tracker (containers.md 3.3, 4.3): the first task of a queue, by its own
// order, that could start there or reserve it, with its step and key among the queue's siblings. A
// head is found by the orders of each family that are kept (head_views.h); `walked` looks at every
// queue, for offers whose answers are not kept, and for tests. On the engine's thread.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "capacity/container_standing.h"
#include "capacity/container_users.h"
#include "capacity/container_waiters.h"
#include "jobqueue/policy/head_views.h"

namespace weir {

class ContainerHeads {
 public:
  using enum ContainerStanding::Step;
  struct Head {
    JobId job;
    TaskKind kind = TaskKind::kMap;
    const Size* size = nullptr;
    bool reserves = false;
    bool lacks_amount = false;  // it begins to wait for what others keep
    bool waits = false;  // for room below a maximum: where that is nothing passes it
    bool over_limit = false;  // its user is, and all others who could start are as well
    int step = kBeyond;
    Fraction key;  // of claims the deadline
    bool overdue(TimeMs now) const { return step == kClaim && key.part <= now; }
  };
  // What may be done with the tracker on offer.
  struct Reach {
    const TrackerState& tracker;
    Resources used;                        // there, with what is held for claimants
    const ReserveHere* reserve = nullptr;  // null: nobody may
    std::optional<TimeMs> ends_by = {};    // only what ends by then may start
    const KeptRoom* kept = nullptr;        // null: nobody keeps anything
    JobId aside = {};  // whose reservation does not matter: it waits for that tracker itself
  };

  ContainerHeads(const ClusterState& state, ContainerStanding& standing);
  // Reservations in the leaf have changed.
  void reserved(QueueId leaf) {
    reservers_changed_.push_back(leaf);
    mark(leaf);
  }

  // The next one is for a job in the leaf, or no more.
  void turn_changed(QueueId leaf) { mark(leaf); }

  // What the job's gang would do with the tracker, whatever its queues' maximums are.
  std::optional<Choice> choice_of_gang(const Job& job, const Reach& reach) const;

  // --- container_heads_turns.cpp ---
  // Who comes before the head, in its leaf or in others below the same queue, is too large for the
  // tracker, and for whom these queues would not be short once that has started: it has the next
  // turn to reserve.
  std::optional<Choice> turn_of_passed(const Head& head, const Reach& reach, bool by_walking);

  // The standing is settled.
  std::optional<Head> best(const Reach& reach);
  // Whether, where best() was asked last, anybody might have the next turn to reserve.
  bool any_might_have_turn(const ReserveHere& reserve) const;
  std::optional<Head> walked(const Reach& reach) const;
  const ContainerWaiters& waiters() const { return waiters_; }

 private:
  using Views = HeadViews<Head>;
  using Bucket = ContainerItems::Bucket;
  struct Contest;

  // --- container_heads_sizes.cpp: what has changed, and what the tracker is for which sizes ---
  void follow();
  void follow_claims();
  void mark(QueueId queue);
  void read_sizes(QueueId leaf);
  void read_steps(QueueId queue);
  void read_owed(QueueId leaf);
  const SizeMasks& masks_of(const Reach& reach);
  SizeMasks narrowed(const SizeMasks& masks, QueueId child) const;

  // --- container_heads_movers.cpp: whose reservations would move to the tracker on offer ---
  struct Mover;
  void read_reservers(QueueId leaf);
  std::optional<Views::Rank> rank_of_reservers(QueueId leaf) const;
  void rank_reservers(QueueId leaf);
  void note_offer(const Reach& reach);
  bool moves(Mover& kept, const Reach& reach);
  bool has_movers(QueueId child, const Reach& reach);
  void ask_movers(QueueId queue, const SizeMasks& masks, const Reach& reach, Contest& contest);
  Head with_movers(QueueId leaf, const Head& kept, const Reach& reach);

  // --- container_heads.cpp: which of the queues ---
  std::optional<Head> best_in(QueueId queue, const SizeMasks& masks, const Reach& reach);
  std::optional<Head> ask(QueueId queue, const std::optional<Head>& kept, const SizeMasks& masks,
                          const Reach& reach);
  Views::View& view_of(QueueId queue, const SizeMasks& masks);
  std::optional<Views::Rank> at_best(QueueId queue, const SizeMasks& masks) const;
  Views::Answer answer(QueueId queue, const SizeMasks& masks);
  std::optional<Head> walked_in(QueueId queue, const Reach& reach) const;
  // Its step and key, if its maximum lets it start; else nothing of the queue may start now.
  bool place(QueueId queue, Head& head) const;

  // It gives way to who waits below the queue.
  using Waiters = ContainerWaiters::Waiters;
  bool gives_way(QueueId queue, const Waiters& waiters, const Head& head) const {
    return head.step != kClaim && !head.size->gang &&
           std::any_of(waiters.begin(), waiters.end(), [&](const auto& waiter) {
             return waiters_.ends_wait(queue, waiter, state_.job(head.job), head.kind);
           });
  }

  // --- container_heads_of_leaves.cpp: which of a leaf's tasks ---
  Views::Answer answer_of_leaf(QueueId leaf, const SizeMasks& masks) const;
  bool answers_for_claim(QueueId leaf, const SizeMasks& masks, Views::Answer& answer) const;
  std::optional<Head> head_of_leaf(QueueId leaf, const Reach& reach) const;
  std::optional<Head> head_of_claim(QueueId leaf, const Reach& reach) const;
  std::optional<TimeMs> deadline_of(QueueId leaf) const;  // of its earliest claim
  bool starts(const Bucket& bucket, const Reach& reach) const;
  std::optional<Head> head_of_gang(QueueId leaf, const Job& job, const Reach& reach) const;
  bool may_reserve(QueueId leaf, const Bucket& bucket, const Reach& reach) const;
  // Of a task that finds room on another tracker, in queues that are short for it: whether it waits
  // for room below a maximum, or may start there. Nothing: it is not such a task.
  enum class Elsewhere { kWaits, kStarts };
  std::optional<Elsewhere> elsewhere(QueueId leaf, const Job& job, TaskKind kind) const;
  // Whether a task that starts before it leaves that room below the maximums on the way.
  bool leaves_room_for(const Resources& other, QueueId leaf, JobId job,
                       const Resources& need) const;
  bool has_soft_limits(QueueId leaf) const;

  // --- container_heads_turns.cpp: the first of those who are passed ---
  using IsPassed = std::function<bool(const Size&)>;
  std::optional<Head> passed_in_leaf(QueueId leaf, const IsPassed& is_passed) const;
  std::optional<Head> walked_passed(QueueId queue, const IsPassed& is_passed,
                                    QueueId beside = {}) const;
  std::optional<Head> passed(QueueId queue, const SizeMasks& masks, QueueId beside = {});
  std::optional<Choice> turn_of(const Head& passed, const Reach& reach) const;

  const ClusterState& state_;
  ContainerStanding& standing_;
  ContainerUsers users_;
  ContainerWaiters waiters_;
  Views views_;
  std::vector<std::uint32_t> place_;             // of a queue in its family
  std::vector<bool> bounded_, bounded_within_;   // a maximum on its way; or below it, too
  std::vector<std::uint64_t> sizes_, picky_;     // of what each queue could start
  std::vector<const Size*> size_of_;             // by number
  std::vector<QueueId> changed_;
  std::uint64_t claims_seen_ = 0;
  std::vector<QueueId> claimants_;
  // The earliest deadline of claims in the queue, which may be never; nothing: it has none.
  std::vector<std::optional<TimeMs>> claimed_;
  struct Keys {
    Fraction of_guarantee, of_allocation;
    const Fraction& of(int step) const {
      return step == kWithinAllocation ? of_allocation : of_guarantee;
    }
  };
  std::vector<Keys> keys_;           // as of the last change,
  struct Steps {
    std::uint64_t guaranteed = 0, allocated = 0, is_short = 0;
  };
  std::vector<Steps> steps_;  // likewise, the sizes that are within these, or short here
  std::vector<std::uint64_t> owed_;  // of a leaf with claims: sizes that it is owed
  SizesHere here_;  // on the tracker on offer
  // Who has a tracker reserved.
  struct Mover : Reserver {
    explicit Mover(const Reserver& reserver) : Reserver(reserver) {}
    std::uint64_t asked_at = 0;  // at which offer,
    bool would_move = false;     // and what came of it
  };
  std::vector<std::vector<Mover>> reservers_;  // by QueueId, of leaves
  std::vector<QueueId> reservers_changed_;
  std::vector<QueueId> reserving_, reserving_deep_;  // leaves with any, and not just below the root
  WinnerTree<Views::Rank> reservers_order_;  // of those below it: where these come at best
  bool may_move_ = false;
  std::vector<QueueId> moving_;  // the queues above deep ones of which somebody would move here
  // By QueueId, at which offer that was so, and they were asked for it.
  std::vector<std::uint64_t> moving_at_, answered_at_;
  std::uint64_t offers_ = 0;
};

}  // namespace weir
