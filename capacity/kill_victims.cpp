// Whom a claim may take slots from, and in which order: queues that have most above what is
// allocated to them, and in a queue those whose end costs least.
#include <algorithm>
#include <utility>

#include "capacity/kill_planner.h"

namespace weir {
void KillPlanner::collect() {
  collected_ = true;
  std::vector<std::size_t> place(state_.tree().size(), SIZE_MAX);
  for (const QueueId leaf : state_.tree().leaves()) {
    const QueueLine& line = figures_.line(leaf);
    if (line.facts.running <= line.allocated) continue;
    place[leaf.index()] = leaves_.size();
    leaves_.push_back({.queue = leaf});
    for (const auto& [user, held] : state_.queue(leaf).users) {
      leaves_.back().running[user] = held.running[kind_];
    }
  }
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || attempt.dying() || attempt.key.task.kind != kind_) continue;
    if (place[attempt.queue.index()] == SIZE_MAX || !attempt.has_slots()) continue;
    const TrackerState& tracker = state_.tracker(attempt.tracker);
    if (!tracker.in_pool()) continue;  // its slots are nobody's to have
    leaves_[place[attempt.queue.index()]].candidates.push_back(
        {AttemptSlot(i), attempt.user, attempt.launched_at, attempt.progress_millionths,
         attempt.preempted >= kOftenPreempted, is_second(attempt)});
  }
}

// Whether its task goes on without it.
bool KillPlanner::is_second(const Attempt& attempt) const {
  const TaskKey& key = attempt.key.task;
  return attempt.speculative && attempt.paired &&
         state_.alive_attempts(state_.job(key.job).tasks(key.kind).tasks[key.index]) > 1;
}

void KillPlanner::sort_candidates(Leaf& leaf) const {
  if (leaf.sorted) return;
  leaf.sorted = true;
  leaf.any_second = std::any_of(leaf.candidates.begin(), leaf.candidates.end(),
                                [](const Candidate& candidate) { return candidate.second; });
  std::sort(leaf.candidates.begin(), leaf.candidates.end(),
            [&](const Candidate& a, const Candidate& b) {
              if (a.often != b.often) return b.often;
              if (a.launched_at != b.launched_at) return a.launched_at > b.launched_at;
              if (a.progress_millionths != b.progress_millionths)
                return a.progress_millionths < b.progress_millionths;
              return state_.attempt(b.slot).key < state_.attempt(a.slot).key;
            });
}

bool KillPlanner::Rank::operator<(const Rank& b) const {
  const Rank& a = *this;
  if (a.steps_up != b.steps_up) return a.steps_up < b.steps_up;
  if ((a.allocated == 0) != (b.allocated == 0)) return a.allocated == 0;
  const Int128 left = Int128(a.over) * b.allocated;
  const Int128 right = Int128(b.over) * a.allocated;
  if (a.allocated != 0 && left != right) return left > right;
  return a.place < b.place;
}

std::optional<KillPlanner::Rank> KillPlanner::rank(QueueId claimant, std::size_t leaf) const {
  const QueueId queue = leaves_[leaf].queue;
  Rank rank{.allocated = figures_.line(queue).allocated, .place = leaf};
  rank.over = running(queue) - rank.allocated;
  if (rank.over <= 0) return std::nullopt;
  for (QueueId q = claimant; !state_.tree().is_ancestor(q, queue); q = state_.tree().parent(q))
    ++rank.steps_up;
  return rank;
}

// Made once for the claimant and its siblings; commit() keeps it up.
const WinnerTree<KillPlanner::Rank>& KillPlanner::victim_order(QueueId claimant) {
  const QueueId parent = state_.tree().parent(claimant);
  const auto [order, fresh] = orders_.try_emplace(parent);
  if (fresh) {
    order->second.resize(leaves_.size());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      order->second.set(static_cast<std::uint32_t>(i), rank(parent, i));
    }
  }
  return order->second;
}

std::vector<UserId> KillPlanner::users_above_limit(const Leaf& leaf) const {
  std::vector<UserId> above;
  for (const auto& [user, held] : leaf.running) {
    if (above_limit(leaf, user)) above.push_back(user);
  }
  return above;
}

struct KillPlanner::Search {
  const Claim& claim;
  std::int64_t need = 0;
  bool over_budget = false;
  std::map<TrackerId, Pile> piles;
  std::optional<KillOrder> found;
};

// The first tracker, in the order of victims, that can be completed.
std::optional<KillOrder> KillPlanner::find_victims(const Claim& claim, std::int64_t need,
                                                   bool& over_budget) {
  if (!collected_) collect();
  Search search{.claim = claim, .need = need};
  victim_order(claim.queue).visit([&](const Rank& rank) {
    return leaves_[rank.place].queue != claim.queue && search_leaf(search, rank.place);
  });
  over_budget = over_budget || search.over_budget;
  return std::move(search.found);
}

// Speculative attempts, tasks of users above their limit, the others, those preempted often.
bool KillPlanner::search_leaf(Search& search, std::size_t l) {
  enum Pass { kSecond, kAboveLimit, kWithinLimit, kOften, kPasses };
  Leaf& leaf = leaves_[l];
  sort_candidates(leaf);
  const std::vector<UserId> above = users_above_limit(leaf);
  const int first = leaf.any_second ? kSecond : above.empty() ? kWithinLimit : kAboveLimit;
  for (int pass = first; pass < kPasses; ++pass) {
    for (std::size_t i = leaf.first; i < leaf.candidates.size(); ++i) {
      const Candidate& candidate = leaf.candidates[i];
      if (candidate.taken) continue;
      const bool over = std::find(above.begin(), above.end(), candidate.user) != above.end();
      const Pass its = candidate.second  ? kSecond
                       : candidate.often ? kOften
                       : over            ? kAboveLimit
                                         : kWithinLimit;
      if (its != pass) continue;
      const TrackerId tracker = state_.attempt(candidate.slot).tracker;
      Pile& gathered = search.piles[tracker];
      Pile alone;
      const bool joins = add_to_pile(gathered, l, i, search.claim.queue, search.over_budget);
      // What was gathered may leave its queue too poor for a wide task that would do by itself.
      if (!joins && (gathered.victims.empty() ||
                     !add_to_pile(alone, l, i, search.claim.queue, search.over_budget))) {
        continue;
      }
      const Pile& pile = joins ? gathered : alone;
      Resources freed = pile.freed;
      const auto promised = promised_.find(tracker);
      if (promised != promised_.end()) freed -= promised->second;
      const std::int64_t widest = std::min(search.need, room_above(search.claim.queue, pile));
      const auto job = could_start(search.claim.queue, widest, tracker, freed);
      if (!job) continue;
      search.found = commit(search.claim, pile, tracker, *job);
      return true;
    }
  }
  return false;
}

bool KillPlanner::add_to_pile(Pile& pile, std::size_t leaf, std::size_t candidate, QueueId claimant,
                              bool& over_budget) const {
  const Attempt& attempt = state_.attempt(leaves_[leaf].candidates[candidate].slot);
  const std::int64_t slots = slots_of(attempt);
  if (!stays_at_allocation(attempt.queue, slots, claimant, pile)) return false;
  if (!within_budget(attempt.queue, attempt, pile)) {
    over_budget = true;
    return false;
  }
  pile.victims.emplace_back(leaf, candidate);
  pile.freed += state_.job(attempt.key.task.job).need(kind_);
  pile.slots[attempt.queue] += slots;
  return true;
}

// No queue on the way up to the common family falls below what is allocated to it.
bool KillPlanner::stays_at_allocation(QueueId victim, std::int64_t slots, QueueId claimant,
                                      const Pile& pile) const {
  for (QueueId q = victim; !state_.tree().is_ancestor(q, claimant); q = state_.tree().parent(q)) {
    std::int64_t dying = slots;
    for (const auto& [leaf, in_pile] : pile.slots) {
      if (state_.tree().is_ancestor(q, leaf)) dying += in_pile;
    }
    if (running(q) - dying < figures_.line(q).allocated) return false;
  }
  return true;
}

bool KillPlanner::within_budget(QueueId victim, const Attempt& attempt, const Pile& pile) const {
  const QueueTree::Node& queue = state_.tree().node(victim);
  const auto budget = queue.settings.kill_budget;
  if (!budget) return true;
  std::int64_t lost = state_.claims().losses().of_queue(queue.path, now_) + cost(attempt);
  if (const auto planned = lost_.find(victim); planned != lost_.end()) lost += planned->second;
  for (const auto& [leaf, i] : pile.victims) {
    const Attempt& other = state_.attempt(leaves_[leaf].candidates[i].slot);
    if (other.queue == victim) lost += cost(other);
  }
  return lost <= *budget * 1000;
}

}  // namespace weir
