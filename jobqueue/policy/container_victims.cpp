#include "jobqueue/policy/container_victims.h"

#include <algorithm>
#include <utility>

namespace weir {
namespace {

bool has(const Resources& room, const Resources& need) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0 && need.amount[i] > room.amount[i]) return false;
  }
  return true;
}

}  // namespace

void ContainerVictims::collect() {
  if (std::exchange(collected_, true)) return;
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || !state_.tracker(attempt.tracker).in_pool()) continue;
    const Job& job = state_.job(attempt.key.task.job);
    const Resources& need = job.need(attempt.key.task.kind);
    if (attempt.dying()) {
      dying_[attempt.tracker] += need;
      continue;
    }
    candidates_.push_back(
        {.slot = AttemptSlot(i), .need = &need, .service = job.spec->service});
  }
}

Resources ContainerVictims::room(TrackerId id) const {
  Resources room = rooms_.of(id);
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

// Something in a dimension that lacks.
bool ContainerVictims::gives(const Candidate& candidate, const Resources& need, const Pile& pile,
                             const Rules& rules) const {
  for (const Dimension d : state_.space().dimensions()) {
    if ((*candidate.need)[d] == 0 || need[d] <= pile.room[d]) continue;
    if (rules.may_give(candidate, d, pile)) return true;
  }
  return false;
}

bool ContainerVictims::may_start(JobId id, TaskKind kind, TrackerId tracker) const {
  const Job& job = state_.job(id);
  const TrackerState& there = state_.tracker(tracker);
  if (job.picky(kind) && !state_.allows(job, kind, there)) return false;
  return state_.could_start(id, kind, tracker, there.used);
}

bool ContainerVictims::finds_what_dies(JobId job, TaskKind kind) {
  const Resources& need = state_.job(job).need(kind);
  for (const auto* freed : {&dying_, &chosen_}) {
    for (const auto& [tracker, amounts] : *freed) {
      if (!has(room(tracker), need) || !may_start(job, kind, tracker)) continue;
      planned_[tracker] += need;
      return true;
    }
  }
  return false;
}

ContainerVictims::Found ContainerVictims::search(JobId job, TaskKind kind,
                                                 const std::vector<std::size_t>& order,
                                                 const Rules& rules) const {
  const Resources& need = state_.job(job).need(kind);
  std::map<TrackerId, Pile> piles;
  bool over_budget = false;
  for (const std::size_t i : order) {
    const Candidate& candidate = candidates_[i];
    const TrackerId tracker = attempt(i).tracker;
    const auto [at, fresh] = piles.try_emplace(tracker);
    Pile& pile = at->second;
    if (fresh) pile.room = room(tracker);
    if (!gives(candidate, need, pile, rules)) continue;
    if (!rules.within_budget(candidate, pile)) {
      over_budget = true;
      continue;
    }
    if (!may_start(job, kind, tracker)) continue;
    pile.victims.push_back(i);
    pile.room += *candidate.need;
    if (!has(pile.room, need)) continue;
    // What the last one has made superfluous is spared.
    for (std::size_t j = pile.victims.size() - 1; j-- > 0;) {
      Resources without = pile.room;
      without -= *candidates_[pile.victims[j]].need;
      if (!has(without, need)) continue;
      pile.room = without;
      pile.victims.erase(pile.victims.begin() + static_cast<std::ptrdiff_t>(j));
    }
    return {.tracker = tracker, .victims = std::move(pile.victims)};
  }
  if (over_budget) return {.block = ClaimBlock::kOverBudget};
  Resources all;
  for (const auto& [tracker, pile] : piles) {
    for (std::size_t i = 0; i < kDimensionCount; ++i)
      all.amount[i] += std::max<std::int64_t>(0, pile.room.amount[i]);
  }
  return {.block = has(all, need) ? ClaimBlock::kFragmented : ClaimBlock::kUnservable};
}

void ContainerVictims::take(const Found& found, const Resources& need) {
  for (const std::size_t i : found.victims) {
    candidates_[i].taken = true;
    chosen_[found.tracker] += *candidates_[i].need;
  }
  planned_[found.tracker] += need;
}

}  // namespace weir
