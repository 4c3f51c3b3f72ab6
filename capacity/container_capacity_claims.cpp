// How claims follow what leaves are owed, where containers count, and what is done for those that
// are due (containers.md 4.4, 4.5). Looked at at the pass only.
#include <algorithm>

#include "capacity/container_capacity.h"
#include "capacity/container_kills.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

void ContainerCapacity::review(TimeMs, bool tick, std::vector<ClaimStep>& steps) {
  if (!tick) return;
  standing_.settle();
  make_pass();
  std::vector<const OwedPass::Leaf*> owed(state_.tree().size());
  for (const OwedPass::Leaf& leaf : pass_->leaves()) owed[leaf.queue.index()] = &leaf;
  for (const QueueId leaf : state_.tree().leaves()) {
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t now = owed[leaf.index()] == nullptr ? 0 : owed[leaf.index()]->owed[d];
      const std::int64_t less = state_.claims().owed(leaf, d) - now;
      if (less <= 0) continue;
      const std::int64_t met = std::min(less, launched_[leaf.index()][d]);
      if (met > 0) steps.push_back({ClaimStep::What::kMeet, leaf, d, met});
      if (less > met) steps.push_back({ClaimStep::What::kDrop, leaf, d, less - met});
    }
    launched_[leaf.index()] = {};
  }
}

void ContainerCapacity::claim(std::vector<ClaimStep>& steps) {
  if (!pass_) return;
  for (const OwedPass::Leaf& leaf : pass_->leaves()) {
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t more = leaf.owed[d] - state_.claims().owed(leaf.queue, d);
      if (more > 0) steps.push_back({ClaimStep::What::kOpen, leaf.queue, d, more});
    }
  }
}

// Leaves that are owed something, those furthest below their guarantees first.
void ContainerCapacity::make_pass() {
  struct Below {
    QueueId leaf;
    Fraction key;
  };
  std::vector<Below> leaves;
  for (const QueueId leaf : state_.tree().leaves()) {
    if (owed_.of(leaf).empty()) continue;
    leaves.push_back({leaf, dominant(state_.space(), state_.queue(leaf).running,
                                     standing_.guaranteed(leaf), state_.total())});
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const Below& a, const Below& b) { return a.key < b.key; });
  const std::optional<KeptRoom> kept = kept_room();
  pass_.emplace(state_, kept ? &*kept : nullptr);
  for (const Below& below : leaves) pass_->place(below.leaf, owed_.of(below.leaf));
}

// Of a claim that is due nothing can be killed while a gang beyond its share collects the room.
bool ContainerCapacity::is_in_the_way(const Assembly& gang, TimeMs now) const {
  const Job* job = state_.find_job(gang.job);
  if (job == nullptr || !gang.beyond || users_.gang_within(*job)) return false;
  const auto& dimensions = state_.space().dimensions();
  return std::any_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    const auto& due = state_.claims().by_deadline(d);
    return std::any_of(due.begin(), due.end(), [&](const auto& claim) {
      const auto& [deadline, leaf, id] = claim;
      return deadline <= now && leaf != job->queue &&
             state_.claims().find(leaf, d, id)->block == ClaimBlock::kUnservable;
    });
  });
}

Preemption ContainerCapacity::tick(TimeMs now) {
  standing_.settle();
  Preemption plan;
  const std::optional<KeptRoom> room = kept_room();
  const KeptRoom* kept = room ? &*room : nullptr;
  end_what_is_over(
      state_, kept, [&](const Reservation& reserved) { return over(reserved, kept); },
      [this](const Job& job) { return users_.gang_within(job); }, plan);
  const Assembly* gang = state_.assembly();
  if (gang != nullptr && plan.give_up_rooms.empty() && is_in_the_way(*gang, now))
    plan.give_up_rooms = "gives_way";
  if (pass_) {
    ContainerKills kills(
        state_, *pass_, now, settings_.preemption,
        {.allocated = [this](QueueId leaf) { return standing_.allocated(leaf); },
         .above_limit = [this](QueueId leaf,
                               UserId user) { return users_.above_limit(leaf, user); }});
    kills.plan(plan);
    if (plan.gang.valid()) leave_what_is_kept(kept, state_.job(plan.gang), plan.rooms);
  }
  pass_.reset();
  return plan;
}

}  // namespace weir
