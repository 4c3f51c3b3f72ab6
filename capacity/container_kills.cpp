#include "capacity/container_kills.h"

#include <algorithm>
#include <tuple>

namespace weir {
namespace {

bool covers(const Space& space, const Amounts& amounts, const Resources& need) {
  for (const Dimension d : space.dimensions()) {
    if (need[d] > amounts[d]) return false;
  }
  return true;
}

bool has(const Resources& room, const Resources& need) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0 && need.amount[i] > room.amount[i]) return false;
  }
  return true;
}

}  // namespace

ContainerKills::ContainerKills(const ClusterState& state, OwedPass& pass, TimeMs now,
                               CapacitySettings::Preemption preemption, Figures figures)
    : state_(state), pass_(pass), now_(now), preemption_(preemption), figures_(std::move(figures)) {
}

// Leaves with claims that are due, the earliest first.
std::vector<ContainerKills::Due> ContainerKills::due() const {
  std::map<QueueId, Due> found;
  for (const Dimension d : state_.space().dimensions()) {
    for (const auto& [deadline, queue, id] : state_.claims().by_deadline(d)) {
      if (deadline > now_) break;
      const Claim& claim = *state_.claims().find(queue, d, id);
      const auto [at, fresh] = found.try_emplace(queue);
      at->second.queue = queue;
      at->second.deadline = fresh ? deadline : std::min(at->second.deadline, deadline);
      (claim.kills_from <= now_ ? at->second.overdue : at->second.repeating)[d] += claim.slots;
    }
  }
  std::vector<Due> all;
  for (auto& [queue, due] : found) all.push_back(std::move(due));
  std::stable_sort(all.begin(), all.end(),
                   [](const Due& a, const Due& b) { return a.deadline < b.deadline; });
  return all;
}

void ContainerKills::plan(Preemption& plan) {
  for (Due& due : due()) {
    for (const OwedPass::Leaf& leaf : pass_.leaves()) {
      if (leaf.queue == due.queue) serve(due, leaf, plan);
    }
  }
}

// Overdue amounts are used up in the leaf's order; what is on its way to the leaf serves its first
// items.
void ContainerKills::serve(Due& due, const OwedPass::Leaf& leaf, Preemption& plan) {
  const Space& space = state_.space();
  Amounts on_the_way;
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.queue != due.queue) continue;
    for (const Dimension d : space.dimensions()) on_the_way[d] += hold.need[d];
  }
  for (const OwedItem& item : leaf.left) {
    const Resources& need = item.size->need;
    for (std::int64_t i = 0; i < item.tasks; ++i) {
      const auto take = [&](Amounts& from) {
        for (const Dimension d : space.dimensions()) from[d] -= need[d];
      };
      if (covers(space, on_the_way, need)) {
        take(on_the_way);
        take(due.overdue);
        continue;
      }
      if (!covers(space, due.overdue, need)) {
        Amounts with_repeating = due.overdue;
        with_repeating += due.repeating;
        const bool repeats = covers(space, with_repeating, need);
        return find(due, need, repeats ? ClaimBlock::kRepeating : ClaimBlock::kNone, plan);
      }
      const ClaimBlock block = preemption_ == CapacitySettings::Preemption::kOff
                                   ? ClaimBlock::kPreemptionOff
                                   : kill_for(due, item, plan);
      if (block != ClaimBlock::kNone) return find(due, need, block, plan);
      take(due.overdue);
    }
  }
  find(due, {}, preemption_ == CapacitySettings::Preemption::kLogOnly ? ClaimBlock::kLogOnly
                                                                      : ClaimBlock::kNone,
       plan);
}

void ContainerKills::find(const Due& due, const Resources& need, ClaimBlock block,
                          Preemption& plan) const {
  for (const Dimension d : state_.space().dimensions()) {
    for (const Claim& claim : state_.claims().claims(due.queue, d)) {
      if (claim.deadline > now_) continue;
      const std::int64_t width = block == ClaimBlock::kUnservable ? need[d] : 0;
      if (claim.block != block || claim.width != width)
        plan.findings.push_back({due.queue, d, claim.id, block, width});
    }
  }
}

void ContainerKills::collect() {
  collected_ = true;
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || !state_.tracker(attempt.tracker).in_pool()) continue;
    const Job& job = state_.job(attempt.key.task.job);
    const Resources& need = job.need(attempt.key.task.kind);
    if (attempt.dying()) {
      dying_[attempt.tracker] += need;
      continue;
    }
    candidates_.push_back({.slot = AttemptSlot(i),
                           .need = &need,
                           .often = attempt.preempted >= kOftenPreempted,
                           .service = job.spec->service,
                           .above_limit = figures_.above_limit(attempt.queue, attempt.user)});
  }
}

// All that are not of the claimant's leaf.
std::vector<std::size_t> ContainerKills::in_order(QueueId claimant, const Resources& need) const {
  struct Rank {
    bool service;
    std::int64_t steps_up;
    Fraction above;  // (RUN - AC) / AC
    bool often, within_limit;
    TimeMs launched_at;
    std::int32_t progress;
    AttemptKey key;
    std::size_t place;
  };
  std::map<QueueId, std::pair<std::int64_t, Fraction>> leaves;
  const auto of_leaf = [&](QueueId leaf) {
    const auto [at, fresh] = leaves.try_emplace(leaf);
    if (!fresh) return at->second;
    std::int64_t steps_up = 0;
    for (QueueId q = claimant; !state_.tree().is_ancestor(q, leaf); q = state_.tree().parent(q))
      ++steps_up;
    const Amounts allocated = figures_.allocated(leaf);
    const auto killed = killed_.find(leaf);
    Fraction above{0, 1};
    for (const Dimension d : state_.space().dimensions()) {
      if (need[d] == 0) continue;
      const std::int64_t run =
          state_.queue(leaf).running[d] - (killed == killed_.end() ? 0 : killed->second[d]);
      const Fraction here{std::max<std::int64_t>(0, run - allocated[d]), allocated[d]};
      if (above < here) above = here;
    }
    return at->second = {steps_up, above};
  };
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const Attempt& attempt = state_.attempt(candidate.slot);
    if (candidate.taken || attempt.queue == claimant) continue;
    const auto [steps_up, above] = of_leaf(attempt.queue);
    ranks.push_back({candidate.service, steps_up, above, candidate.often, !candidate.above_limit,
                     attempt.launched_at, attempt.progress_millionths, attempt.key, i});
  }
  std::sort(ranks.begin(), ranks.end(), [&](const Rank& a, const Rank& b) {
    if (a.service != b.service) return b.service;
    if (a.steps_up != b.steps_up) return a.steps_up < b.steps_up;
    if (b.above < a.above || a.above < b.above) return b.above < a.above;
    const QueueId p = state_.attempt(candidates_[a.place].slot).queue;
    const QueueId q = state_.attempt(candidates_[b.place].slot).queue;
    if (p != q) return p < q;
    if (a.often != b.often) return b.often;
    if (a.within_limit != b.within_limit) return b.within_limit;
    if (a.launched_at != b.launched_at) return a.launched_at > b.launched_at;
    if (a.progress != b.progress) return a.progress < b.progress;
    return b.key < a.key;
  });
  std::vector<std::size_t> order;
  for (const Rank& rank : ranks) order.push_back(rank.place);
  return order;
}

Resources ContainerKills::room(TrackerId id) const {
  Resources room = pass_.room(id);
  const auto add = [&](const std::map<TrackerId, Resources>& of, int sign) {
    const auto found = of.find(id);
    if (found == of.end()) return;
    if (sign > 0) {
      room += found->second;
    } else {
      room -= found->second;
    }
  };
  add(dying_, 1);
  add(chosen_, 1);
  add(planned_, -1);
  // Of what dies on its own account all is held: the pass has taken off what is free already.
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker != id) continue;
    room -= hold.occupied_room();
  }
  return room;
}

// In a dimension that lacks, and in which its leaf stays at its allocation.
bool ContainerKills::gives(const Candidate& candidate, const Resources& need,
                           const Resources& room, const std::map<QueueId, Amounts>& pile) const {
  const QueueId leaf = state_.attempt(candidate.slot).queue;
  const Amounts allocated = figures_.allocated(leaf);
  const auto killed = killed_.find(leaf);
  const auto piled = pile.find(leaf);
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t gives = (*candidate.need)[d];
    if (gives == 0 || need[d] <= room[d]) continue;
    const std::int64_t chosen = (killed == killed_.end() ? 0 : killed->second[d]) +
                                (piled == pile.end() ? 0 : piled->second[d]);
    if (state_.queue(leaf).running[d] - chosen - gives >= allocated[d]) return true;
  }
  return false;
}

// A container counts as one slot.
bool ContainerKills::within_budget(const Attempt& attempt) const {
  const auto budget = state_.tree().node(attempt.queue).settings.kill_budget;
  if (!budget) return true;
  const auto planned = lost_ms_.find(attempt.queue);
  const std::int64_t lost = state_.claims().lost_slot_ms(attempt.queue, now_) +
                            (planned == lost_ms_.end() ? 0 : planned->second) +
                            attempt.in_slots_ms(now_);
  return lost <= *budget * 1000;
}

bool ContainerKills::may_run(const OwedItem& item, const TrackerState& tracker) const {
  const Job& job = state_.job(item.job);
  return (!job.picky(item.kind) || state_.allows(job, item.kind, tracker)) &&
         state_.could_start(item.job, item.kind, tracker.id, tracker.used);
}

// What is chosen for others may leave enough over, and what dies on its own account: nobody dies
// for an item that finds room there.
bool ContainerKills::finds_what_dies(const OwedItem& item) {
  for (const auto* freed : {&dying_, &chosen_}) {
    for (const auto& [tracker, amounts] : *freed) {
      if (!has(room(tracker), item.size->need) || !may_run(item, state_.tracker(tracker))) continue;
      planned_[tracker] += item.size->need;
      return true;
    }
  }
  return false;
}

ClaimBlock ContainerKills::kill_for(const Due& due, const OwedItem& item, Preemption& plan) {
  if (!collected_) collect();
  if (finds_what_dies(item)) return ClaimBlock::kNone;
  struct Pile {
    std::vector<std::size_t> victims;
    Resources room;
    std::map<QueueId, Amounts> of_leaf;
  };
  const Resources& need = item.size->need;
  std::map<TrackerId, Pile> piles;
  bool over_budget = false;
  for (const std::size_t i : in_order(due.queue, need)) {
    const Candidate& candidate = candidates_[i];
    const Attempt& attempt = state_.attempt(candidate.slot);
    const auto [at, fresh] = piles.try_emplace(attempt.tracker);
    Pile& pile = at->second;
    if (fresh) pile.room = room(attempt.tracker);
    if (!gives(candidate, need, pile.room, pile.of_leaf)) continue;
    if (!within_budget(attempt)) {
      over_budget = true;
      continue;
    }
    if (!may_run(item, state_.tracker(attempt.tracker))) continue;
    pile.victims.push_back(i);
    pile.room += *candidate.need;
    for (const Dimension d : state_.space().dimensions())
      pile.of_leaf[attempt.queue][d] += (*candidate.need)[d];
    if (!has(pile.room, need)) continue;
    // What the last one has made superfluous is spared.
    for (std::size_t j = pile.victims.size() - 1; j-- > 0;) {
      Resources without = pile.room;
      without -= *candidates_[pile.victims[j]].need;
      if (!has(without, need)) continue;
      pile.room = without;
      pile.victims.erase(pile.victims.begin() + static_cast<std::ptrdiff_t>(j));
    }
    plan.kills.push_back(commit(due, item, attempt.tracker, pile.victims));
    return ClaimBlock::kNone;
  }
  if (over_budget) return ClaimBlock::kOverBudget;
  Resources all;
  for (const auto& [tracker, pile] : piles) {
    for (std::size_t i = 0; i < kDimensionCount; ++i)
      all.amount[i] += std::max<std::int64_t>(0, pile.room.amount[i]);
  }
  return has(all, need) ? ClaimBlock::kFragmented : ClaimBlock::kUnservable;
}

KillOrder ContainerKills::commit(const Due& due, const OwedItem& item, TrackerId tracker,
                                 const std::vector<std::size_t>& victims) {
  const Resources& need = item.size->need;
  KillOrder order{.reason = KillReason::kReclaim,
                  .for_queue = due.queue,
                  .kind = item.kind,
                  .job = item.job,
                  .need = need,
                  .log_only = preemption_ == CapacitySettings::Preemption::kLogOnly};
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] == 0 || order.claim != 0) continue;
    for (const Claim& claim : state_.claims().claims(due.queue, d)) {
      if (claim.kills_from > now_) continue;
      order.claim = claim.id;
      order.dimension = d;
      break;
    }
  }
  for (const std::size_t i : victims) {
    Candidate& candidate = candidates_[i];
    candidate.taken = true;
    const Attempt& attempt = state_.attempt(candidate.slot);
    order.victims.push_back(candidate.slot);
    chosen_[tracker] += *candidate.need;
    lost_ms_[attempt.queue] += attempt.in_slots_ms(now_);
    for (const Dimension d : state_.space().dimensions())
      killed_[attempt.queue][d] += (*candidate.need)[d];
  }
  planned_[tracker] += need;
  return order;
}

}  // namespace weir
