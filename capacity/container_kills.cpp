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

}  // namespace

ContainerKills::ContainerKills(const ClusterState& state, OwedPass& pass, TimeMs now,
                               CapacitySettings::Preemption preemption, Figures figures)
    : state_(state),
      pass_(pass),
      now_(now),
      preemption_(preemption),
      figures_(std::move(figures)),
      victims_(state, pass.rooms()) {}

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
    if (item.size->gang && waits_for_another_gang(state_, state_.job(item.job)))
      return find(due, {}, ClaimBlock::kNone, plan);
    if (item.size->gang && is_on_its_way(state_, state_.job(item.job))) {
      for (const Dimension d : space.dimensions()) due.overdue[d] -= need[d];
      continue;
    }
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
                                   : item.size->gang ? kill_for_gang(due, item, plan)
                                                     : kill_for(due, item, plan.kills);
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

// Within a leaf: users above their limit, then the latest launched.
void ContainerKills::line_up() {
  struct Rank {
    bool often, within_limit;
    TimeMs launched_at;
    std::int32_t progress;
    AttemptKey key;
    std::size_t place;
  };
  std::map<std::pair<QueueId, UserId>, bool> users;
  const auto above_limit = [&](const Attempt& attempt) {
    const auto [at, fresh] = users.try_emplace({attempt.queue, attempt.user});
    if (fresh) at->second = figures_.above_limit(attempt.queue, attempt.user);
    return at->second;
  };
  const auto& candidates = victims_.candidates();
  std::map<std::pair<ContainerVictims::Candidate::Kind, QueueId>, std::vector<Rank>> lines;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Attempt& attempt = victims_.attempt(i);
    if (candidates[i].taken) continue;
    lines[{candidates[i].kind, attempt.queue}].push_back(
        {attempt.preempted >= kOftenPreempted, !above_limit(attempt), attempt.launched_at,
         attempt.progress_millionths, attempt.key, i});
  }
  for (auto& [of, ranks] : lines) {
    std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
      return std::tie(a.often, a.within_limit, b.launched_at, a.progress, b.key) <
             std::tie(b.often, b.within_limit, a.launched_at, b.progress, a.key);
    });
    for (const Rank& rank : ranks) lines_[of].places.push_back(rank.place);
  }
}

// All that are not of the claimant's leaf.
std::vector<ContainerVictims::Line*> ContainerKills::in_order(QueueId claimant,
                                                              const Resources& need) {
  struct Rank {
    ContainerVictims::Candidate::Kind kind;
    std::int64_t steps_up;
    Fraction above;  // (RUN - AC) / AC
    QueueId leaf;
    ContainerVictims::Line* line;
  };
  if (lines_.empty()) line_up();
  std::vector<Rank> ranks;
  for (auto& [of, line] : lines_) {
    const auto& [kind, leaf] = of;
    if (leaf == claimant) continue;
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
    ranks.push_back({kind, steps_up, above, leaf, &line});
  }
  std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.steps_up != b.steps_up) return a.steps_up < b.steps_up;
    if (b.above < a.above || a.above < b.above) return b.above < a.above;
    return a.leaf < b.leaf;
  });
  std::vector<ContainerVictims::Line*> order;
  for (const Rank& rank : ranks) order.push_back(rank.line);
  return order;
}

bool ContainerKills::may_give(const ContainerVictims::Candidate& candidate, Dimension d,
                              const ContainerVictims::Pile& pile) const {
  const QueueId leaf = state_.attempt(candidate.slot()).queue;
  const auto killed = killed_.find(leaf);
  std::int64_t left = state_.queue(leaf).running[d] - candidate.all[d] -
                      (killed == killed_.end() ? 0 : killed->second[d]);
  for (const std::size_t other : pile.victims) {
    const Attempt& piled = victims_.attempt(other);
    if (piled.queue == leaf) left -= victims_.candidates()[other].all[d];
  }
  return left >= figures_.allocated(leaf)[d];
}

// A container counts as one slot.
bool ContainerKills::within_budget(const ContainerVictims::Candidate& candidate,
                                   const ContainerVictims::Pile& pile) const {
  const Attempt& attempt = state_.attempt(candidate.slot());
  const QueueTree::Node& queue = state_.tree().node(attempt.queue);
  const auto budget = queue.settings.kill_budget;
  if (!budget) return true;
  const auto planned = lost_ms_.find(attempt.queue);
  std::int64_t lost = state_.claims().losses().of_queue(queue.path, now_) +
                      (planned == lost_ms_.end() ? 0 : planned->second) +
                      victims_.lost_ms(candidate, now_);
  for (const std::size_t other : pile.victims) {
    if (victims_.attempt(other).queue == attempt.queue)
      lost += victims_.lost_ms(victims_.candidates()[other], now_);
  }
  return lost <= *budget * 1000;
}

ClaimBlock ContainerKills::kill_for(const Due& due, const OwedItem& item,
                                    std::vector<KillOrder>& kills) {
  using Candidate = ContainerVictims::Candidate;
  using Pile = ContainerVictims::Pile;
  victims_.collect();
  if (victims_.finds_what_dies(item.job, item.kind)) return ClaimBlock::kNone;
  const auto found = victims_.search(
      item.job, item.kind, in_order(due.queue, item.size->need),
      {.may_give = [this](const Candidate& candidate, Dimension d,
                          const Pile& pile) { return may_give(candidate, d, pile); },
       .within_budget = [this](const Candidate& candidate,
                               const Pile& pile) { return within_budget(candidate, pile); }});
  if (found.block == ClaimBlock::kNone) kills.push_back(commit(due, item, found));
  return found.block;
}

ClaimBlock ContainerKills::kill_for_gang(const Due& due, const OwedItem& item, Preemption& plan) {
  const auto before = std::pair(killed_, lost_ms_);
  const Job& job = state_.job(item.job);
  const ClaimBlock block = victims_.plan_gang(
      job,
      [&](TaskKind group, std::vector<KillOrder>& kills) {
        return kill_for(due, {job.id, group, &job.size(group), 1}, kills);
      },
      preemption_ == CapacitySettings::Preemption::kLogOnly, plan);
  if (block == ClaimBlock::kNone) return block;
  std::tie(killed_, lost_ms_) = before;
  for (auto& [of, line] : lines_) line.first = 0;
  return block;
}

KillOrder ContainerKills::commit(const Due& due, const OwedItem& item,
                                 const ContainerVictims::Found& found) {
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
  for (const std::size_t i : found.victims) {
    const Attempt& attempt = victims_.attempt(i);
    const ContainerVictims::Candidate& victim = victims_.candidates()[i];
    order.victims.insert(order.victims.end(), victim.slots.begin(), victim.slots.end());
    lost_ms_[attempt.queue] += victims_.lost_ms(victim, now_);
    const Resources& gone = victim.all;
    for (const Dimension d : state_.space().dimensions()) killed_[attempt.queue][d] += gone[d];
  }
  victims_.take(found, state_.job(item.job), need);
  return order;
}

}  // namespace weir
