#include "fair/container_pool_kills.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace weir {
namespace {

template <class Key>
std::int64_t of(const std::map<Key, Amounts>& amounts, Key key, Dimension d) {
  const auto found = amounts.find(key);
  return found == amounts.end() ? 0 : found->second[d];
}

}  // namespace

ContainerPoolKills::ContainerPoolKills(const ClusterState& state, TimeMs now, bool log_only,
                                       Figures figures)
    : state_(state),
      now_(now),
      log_only_(log_only),
      figures_(std::move(figures)),
      rooms_(state, figures_.kept),
      wants_(state, figures_.tree, figures_.amounts, figures_.rules),
      victims_(state, rooms_) {
  for (const Hold& hold : state.claims().holds()) {
    const PoolId pool = figures_.tree.find(hold.pool);
    if (!hold.pool.empty() && pool.valid()) on_the_way_.push_back({pool, hold.need});
  }
}

void ContainerPoolKills::plan(const std::vector<Due>& due, Preemption& plan) {
  for (const Due& each : due) serve(each, plan);
}

void ContainerPoolKills::serve(const Due& due, Preemption& plan) {
  wants_.show_passed();
  const PoolAmounts& amounts = figures_.amounts;
  // Of a minimum, too, only what its share has: where minimums are more than there is they are
  // scaled down, and two pools that each want theirs would kill for it in turns, for ever.
  const auto within = [&](const Amounts& running, const Resources& need) {
    return (due.reason != KillReason::kMinShare ||
            amounts.within_minimum(due.pool, running, need)) &&
           amounts.within_share(amounts.pool(due.pool), running, need);
  };
  while (const auto want = wants_.owed(due.pool, within)) {
    const Job& job = state_.job(want->job->job);
    if (want->size->gang && waits_for_another_gang(state_, job)) return;
    if (helps(due, want->size->need) && !is_on_the_way(*want) &&
        rooms_.put(job, want->kind, 1) == 0) {
      const ClaimBlock block = want->size->gang ? kill_for_gang(due, *want, plan)
                                                : kill_for(due, *want, plan.kills);
      if (block != ClaimBlock::kNone) {
        unmet_.emplace(due.pool, block);
        return;
      }
    }
    wants_.take(*want);
  }
}

// The pool is short of something that the task takes: else it would kill for it, and be as short as
// before, for ever.
bool ContainerPoolKills::helps(const Due& due, const Resources& need) const {
  const ShareLine& line = figures_.amounts.pool(due.pool);
  const auto& minimum = figures_.tree.node(due.pool).settings->minimum;
  const auto& dimensions = state_.space().dimensions();
  return std::any_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    const bool full = d.place() < line.full.size() && line.full[d.place()];
    const bool counts = due.reason == KillReason::kMinShare ? minimum[d.value()].has_value() : full;
    return counts && need[d] > 0;
  });
}

// Room that an earlier kill makes, for this pool or for one above it.
bool ContainerPoolKills::is_on_the_way(const PoolWants::Want& want) {
  if (want.size->gang) return is_on_its_way(state_, state_.job(want.job->job));
  const auto serves = [&](const OnTheWay& hold) {
    if (!figures_.tree.contains(hold.pool, want.job->pool)) return false;
    for (const Dimension d : state_.space().dimensions()) {
      if (want.size->need[d] > hold.need[d]) return false;
    }
    return true;
  };
  const auto found = std::find_if(on_the_way_.begin(), on_the_way_.end(), serves);
  if (found == on_the_way_.end()) return false;
  on_the_way_.erase(found);
  return true;
}

// --- Victims ---

PoolId ContainerPoolKills::pool_of(std::size_t candidate) const {
  const auto* line = figures_.line_of(victims_.attempt(candidate).key.task.job);
  return line == nullptr ? PoolId{} : line->pool;
}

// All that are not of the needy pool.
void ContainerPoolKills::line_up(PoolId needy) {
  if (latest_first_.empty()) {
    latest_first_.resize(victims_.candidates().size());
    std::iota(latest_first_.begin(), latest_first_.end(), std::size_t{0});
    std::sort(latest_first_.begin(), latest_first_.end(), [&](std::size_t i, std::size_t j) {
      const Attempt& a = victims_.attempt(i);
      const Attempt& b = victims_.attempt(j);
      return std::tie(b.launched_at, a.progress_millionths, b.key) <
             std::tie(a.launched_at, b.progress_millionths, a.key);
    });
  }
  lines_for_ = needy;
  lines_.clear();
  for (const std::size_t place : latest_first_) {
    const PoolId pool = pool_of(place);
    if (!pool.valid() || figures_.tree.contains(needy, pool)) continue;
    std::int64_t steps_up = 0;
    for (PoolId p = needy; !figures_.tree.contains(p, pool); p = figures_.tree.node(p).parent)
      ++steps_up;
    lines_[{victims_.candidates()[place].kind, steps_up}].places.push_back(place);
  }
}

std::vector<ContainerPoolKills::Line*> ContainerPoolKills::in_order(PoolId needy) {
  if (lines_for_ != needy) line_up(needy);
  std::vector<Line*> order;
  for (auto& [of, line] : lines_) order.push_back(&line);
  return order;
}

bool ContainerPoolKills::keeps_share(const ShareLine& line, Dimension d,
                                     std::int64_t left) const {
  if (d.place() >= line.share.size()) return true;
  return left * 1000 >= thousandths(line.share[d.place()]);
}

bool ContainerPoolKills::may_give(PoolId needy, const Candidate& candidate, Dimension d,
                                  const Pile& pile) const {
  const JobId job = state_.attempt(candidate.slot()).key.task.job;
  const PoolAmounts::JobLine& line = *figures_.line_of(job);
  const auto counts = [&](PoolId family) {  // the dimension in which its children share
    return PoolAmounts::sharing(figures_.tree.node(family)) == PoolSettings::Sharing::kFair
               ? Dimension(Dimension::kMemoryMb)
               : d;
  };
  const auto left = [&](std::int64_t running, Dimension of_what, auto is_in) {
    running -= candidate.all[of_what];
    for (const std::size_t other : pile.victims) {
      if (is_in(other)) running -= victims_.candidates()[other].all[of_what];
    }
    return running;
  };
  const Dimension own = counts(line.pool);
  const auto of_job = [&](std::size_t other) {
    return victims_.attempt(other).key.task.job == job;
  };
  if (!keeps_share(line, own, left(line.running[own] - of(job_killed_, job, own), own, of_job)))
    return false;
  for (PoolId p = line.pool; !figures_.tree.contains(p, needy); p = figures_.tree.node(p).parent) {
    const ShareLine& pool = figures_.amounts.pool(p);
    const Dimension of_what = counts(figures_.tree.node(p).parent);
    const auto in_pool = [&](std::size_t other) {
      return figures_.tree.contains(p, pool_of(other));
    };
    const std::int64_t running = pool.running[of_what] - of(killed_, p, of_what);
    if (!keeps_share(pool, of_what, left(running, of_what, in_pool))) return false;
  }
  return true;
}

// A container counts as one slot.
bool ContainerPoolKills::within_budget(const Candidate& candidate, const Pile& pile) const {
  const Attempt& attempt = state_.attempt(candidate.slot());
  const PoolId pool = figures_.line_of(attempt.key.task.job)->pool;
  const PoolTree::Node& node = figures_.tree.node(pool);
  if (!node.settings->kill_budget) return true;
  const auto planned = lost_ms_.find(pool);
  std::int64_t lost = state_.claims().losses().of_pool(node.path, now_) +
                      (planned == lost_ms_.end() ? 0 : planned->second) +
                      victims_.lost_ms(candidate, now_);
  for (const std::size_t other : pile.victims) {
    if (pool_of(other) == pool) lost += victims_.lost_ms(victims_.candidates()[other], now_);
  }
  return lost <= *node.settings->kill_budget * 1000;
}

ClaimBlock ContainerPoolKills::kill_for(const Due& due, const PoolWants::Want& want,
                                        std::vector<KillOrder>& kills) {
  victims_.collect();
  if (victims_.finds_what_dies(want.job->job, want.kind)) return ClaimBlock::kNone;
  const auto found = victims_.search(
      want.job->job, want.kind, in_order(due.pool),
      {.may_give =
           [&](const Candidate& candidate, Dimension d, const Pile& pile) {
             return may_give(due.pool, candidate, d, pile);
           },
       .within_budget = [&](const Candidate& candidate,
                            const Pile& pile) { return within_budget(candidate, pile); }});
  if (found.block == ClaimBlock::kNone) kills.push_back(commit(due, want, found));
  return found.block;
}

ClaimBlock ContainerPoolKills::kill_for_gang(const Due& due, const PoolWants::Want& want,
                                             Preemption& plan) {
  const auto before = std::tuple(killed_, job_killed_, lost_ms_);
  const Job& job = state_.job(want.job->job);
  const ClaimBlock block = victims_.plan_gang(
      job,
      [&](TaskKind group, std::vector<KillOrder>& kills) {
        return kill_for(due, {want.job, group, &job.size(group)}, kills);
      },
      log_only_, plan);
  if (block == ClaimBlock::kNone) return block;
  std::tie(killed_, job_killed_, lost_ms_) = before;
  for (auto& [of, line] : lines_) line.first = 0;
  return block;
}

KillOrder ContainerPoolKills::commit(const Due& due, const PoolWants::Want& want,
                                     const ContainerVictims::Found& found) {
  const Resources& need = want.size->need;
  KillOrder order{.reason = due.reason,
                  .for_pool = figures_.tree.node(due.pool).path,
                  .kind = want.kind,
                  .job = want.job->job,
                  .need = need,
                  .log_only = log_only_,
                  .owed_ms = due.short_ms};
  for (const std::size_t i : found.victims) {
    const Attempt& attempt = victims_.attempt(i);
    const Candidate& victim = victims_.candidates()[i];
    const Resources& gone = victim.all;
    order.victims.insert(order.victims.end(), victim.slots.begin(), victim.slots.end());
    lost_ms_[pool_of(i)] += victims_.lost_ms(victim, now_);
    for (const Dimension d : state_.space().dimensions()) {
      job_killed_[attempt.key.task.job][d] += gone[d];
      for (PoolId p = pool_of(i); p.valid(); p = figures_.tree.node(p).parent)
        killed_[p][d] += gone[d];
    }
  }
  victims_.take(found, state_.job(want.job->job), need);
  return order;
}

}  // namespace weir
