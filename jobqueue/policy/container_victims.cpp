#include "jobqueue/policy/container_victims.h"

#include <algorithm>
#include <utility>

#include "jobqueue/policy/container_reservations.h"

namespace weir {
namespace {

bool has(const Resources& room, const Resources& need) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (need.amount[i] > 0 && need.amount[i] > room.amount[i]) return false;
  }
  return true;
}

// It is a member of a gang that runs, and is not replaced alone.
bool falls_with_its_gang(const Job& job, const TaskKey& task) {
  return job.gang != nullptr && job.gang->started && job.gang->has(task) &&
         !job.spec->task_groups[group_number(task.kind)].replace;
}

}  // namespace

void ContainerVictims::collect() {
  if (std::exchange(collected_, true)) return;
  made_.resize(state_.trackers().size());
  for (std::size_t i = 0; i < state_.attempts().size(); ++i) {
    const Attempt& attempt = state_.attempts()[i];
    if (!attempt.live || !state_.tracker(attempt.tracker).in_pool()) continue;
    const Job& job = state_.job(attempt.key.task.job);
    const Resources& need = job.need(attempt.key.task.kind);
    if (attempt.dying()) {
      made_[attempt.tracker.index()] += need;
      if (kept()) kept()->give(0, need);
      freed_.emplace(false, attempt.tracker);
      continue;
    }
    if (falls_with_its_gang(job, attempt.key.task)) continue;
    candidates_.push_back(
        {.slots = {AttemptSlot(i)},
         .need = need,
         .all = need,
         .kind = job.service ? Candidate::Kind::kService : Candidate::Kind::kSingle});
  }
  add_gangs();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const TaskKey& task = attempt(i).key.task;
    const Job& job = state_.job(task.job);
    if (job.gang != nullptr && job.gang->started && job.gang->has(task))
      of_gang_[task.job].push_back(i);
  }
  // Of what dies on its own account all is held: the pass has taken off what is free already.
  for (const Hold& hold : state_.claims().holds()) {
    made_[hold.tracker.index()] -= hold.occupied_room();
    if (kept()) kept()->take(0, hold.occupied_room());
  }
}

// Those that run, with all of whom one that is killed takes down.
void ContainerVictims::add_gangs() {
  for (const auto& [id, job] : state_.jobs()) {
    if (job->gang == nullptr || !job->gang->started || is_over(job->state)) continue;
    std::map<TrackerId, Candidate> on;
    Resources all;
    bool untold = false;  // it has only just started
    for (const TaskKey& member : job->gang->members) {
      const Task& task = job->tasks(member.kind).tasks[member.index];
      state_.each_attempt(task, [&](AttemptSlot slot) {
        const Attempt& attempt = state_.attempt(slot);
        if (attempt.dying()) return;
        untold = untold || attempt.untold;
        all += job->need(member.kind);
        if (!falls_with_its_gang(*job, member)) return;
        if (!state_.tracker(attempt.tracker).in_pool()) return;
        on[attempt.tracker].slots.push_back(slot);
        on[attempt.tracker].need += job->need(member.kind);
      });
    }
    if (untold) continue;
    for (auto& [tracker, candidate] : on) {
      candidate.all = all;
      candidate.kind =
          job->service ? Candidate::Kind::kService : Candidate::Kind::kGang;
      candidates_.push_back(std::move(candidate));
    }
  }
}

DurationMs ContainerVictims::lost_ms(const Candidate& candidate, TimeMs now) const {
  const Attempt& first = state_.attempt(candidate.slot());
  const Job& job = state_.job(first.key.task.job);
  if (!falls_with_its_gang(job, first.key.task)) return first.in_slots_ms(now);
  DurationMs lost = 0;
  for (const TaskKey& member : job.gang->members) {
    state_.each_attempt(job.tasks(member.kind).tasks[member.index],
                        [&](AttemptSlot slot) { lost += state_.attempt(slot).in_slots_ms(now); });
  }
  return lost;
}

Resources ContainerVictims::room(TrackerId id) const {
  Resources room = rooms_.of(id);
  room += made_[id.index()];
  return room;
}

// Something in a dimension that lacks.
bool ContainerVictims::gives(const Candidate& candidate, const Resources& need, const Pile& pile,
                             const Rules& rules) const {
  for (const Dimension d : state_.space().dimensions()) {
    if (candidate.need[d] == 0 || need[d] <= pile.room[d]) continue;
    if (rules.may_give(candidate, d, pile)) return true;
  }
  return false;
}

bool ContainerVictims::may_start(JobId id, TaskKind kind, TrackerId tracker) const {
  const Job& job = state_.job(id);
  const TrackerState& there = state_.tracker(tracker);
  if (job.picky(kind) && !state_.allows(job, kind, there, planned_)) return false;
  if (job.waits_for_gang(kind)) {
    return there.in_pool() && !state_.avoided(job, tracker) &&
           state_.fits_in(job.need(kind), there, {});
  }
  return state_.could_start(id, kind, tracker, there.used);
}

void ContainerVictims::free_on(TrackerId tracker, Freed& freed) const {
  freed.emplace(!freed_.contains({false, tracker}), tracker);
}

bool ContainerVictims::finds_what_dies(JobId job, TaskKind kind) {
  const Size& size = state_.job(job).size(kind);
  if (!is_left(state_.job(job), size.need)) return false;
  const auto [found, fresh] = may_find_.try_emplace(size.number, taken_.size(), freed_);
  MayFind& may = found->second;
  for (; may.taken < taken_.size(); ++may.taken)
    free_on(attempt(taken_[may.taken]).tracker, may.on);
  for (auto on = may.on.begin(); on != may.on.end();) {
    const TrackerId tracker = on->second;
    if (!has(room(tracker), size.need)) {
      on = may.on.erase(on);
      continue;
    }
    if (may_start(job, kind, tracker)) {
      plan_on(tracker, state_.job(job), size.need);
      return true;
    }
    ++on;
  }
  return false;
}

struct ContainerVictims::Search {
  JobId job;
  TaskKind kind;
  const Resources& need;
  const Rules& rules;
  std::optional<Amounts> left = {};  // of all that is free
  Amounts owed = {};                 // by which others keep more than that, and it is no matter
  std::map<TrackerId, Pile> piles;
  bool over_budget = false;
};

// Tells the pile if it makes room now.
ContainerVictims::Pile* ContainerVictims::pile_up(std::size_t place, Search& search) const {
  const Candidate& candidate = candidates_[place];
  const TrackerId tracker = attempt(place).tracker;
  const auto [at, fresh] = search.piles.try_emplace(tracker);
  Pile& pile = at->second;
  if (fresh) {
    pile.room = room(tracker);
    for (const Dimension d : state_.space().dimensions())
      pile.room[d] = std::min(pile.room[d], search.left ? (*search.left)[d] : INT64_MAX);
  }
  if (!gives(candidate, search.need, pile, search.rules)) return nullptr;
  if (!search.rules.within_budget(candidate, pile)) {
    search.over_budget = true;
    return nullptr;
  }
  if (!may_start(search.job, search.kind, tracker)) return nullptr;
  pile.victims.push_back(place);
  pile.room += candidate.need;
  return has(pile.room, search.need) && leave_enough(pile.victims, search) ? &pile : nullptr;
}

bool ContainerVictims::leave_enough(const std::vector<std::size_t>& victims,
                                    const Search& search) const {
  if (!kept()) return true;
  KeptAmounts after = *kept();
  for (const std::size_t i : victims)
    after.give(after.leaf_of(state_.job(attempt(i).key.task.job)), candidates_[i].need);
  const Amounts left = after.left_for(after.leaf_of(state_.job(search.job)));
  const auto& dimensions = state_.space().dimensions();
  return std::all_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    return search.need[d] == 0 || left[d] + search.owed[d] >= search.need[d];
  });
}

// What the last one has made superfluous.
void ContainerVictims::spare(Pile& pile, const Search& search) const {
  for (std::size_t j = pile.victims.size() - 1; j-- > 0;) {
    Resources without = pile.room;
    without -= candidates_[pile.victims[j]].need;
    if (!has(without, search.need)) continue;
    std::vector<std::size_t> others = pile.victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
    if (!leave_enough(others, search)) continue;
    pile.room = without;
    pile.victims = std::move(others);
  }
}

ContainerVictims::Found ContainerVictims::search(JobId job, TaskKind kind,
                                                 const std::vector<Line*>& lines,
                                                 const Rules& rules) const {
  const Resources& need = state_.job(job).need(kind);
  Search search{.job = job, .kind = kind, .need = need, .rules = rules, .piles = {}};
  if (!kept()) return first_pile(search, lines);
  search.left = kept()->left_for(kept()->leaf_of(state_.job(job)));
  Found found = first_pile(search, lines);
  bool owes = false;
  for (const Dimension d : state_.space().dimensions()) {
    std::int64_t& left = (*search.left)[d];
    owes = owes || (need[d] > 0 && left < 0);
    search.owed[d] = std::max<std::int64_t>(0, -left);
    left += search.owed[d];
  }
  if (found.block == ClaimBlock::kNone || !owes) return found;
  search.piles.clear();
  return first_pile(search, lines);
}

ContainerVictims::Found ContainerVictims::first_pile(Search& search,
                                                     const std::vector<Line*>& lines) const {
  for (Line* line : lines) {
    auto& [places, first] = *line;
    while (first < places.size() && candidates_[places[first]].taken) ++first;
    for (std::size_t i = first; i < places.size(); ++i) {
      if (candidates_[places[i]].taken) continue;
      Pile* pile = pile_up(places[i], search);
      if (pile == nullptr) continue;
      spare(*pile, search);
      return {.tracker = attempt(places[i]).tracker, .victims = std::move(pile->victims)};
    }
  }
  if (search.over_budget) return {.block = ClaimBlock::kOverBudget};
  Resources all;
  for (const auto& [tracker, pile] : search.piles) {
    for (std::size_t i = 0; i < kDimensionCount; ++i)
      all.amount[i] += std::max<std::int64_t>(0, pile.room.amount[i]);
  }
  return {.block = has(all, search.need) ? ClaimBlock::kFragmented : ClaimBlock::kUnservable};
}

void ContainerVictims::take(std::size_t place) {
  if (candidates_[place].taken) return;
  const TrackerId tracker = attempt(place).tracker;
  candidates_[place].taken = true;
  taken_.push_back(place);
  made_[tracker.index()] += candidates_[place].need;
  if (kept()) {
    const Job& job = state_.job(attempt(place).key.task.job);
    kept()->give(kept()->leaf_of(job), candidates_[place].need);
  }
  free_on(tracker, freed_);
}

void ContainerVictims::take(const Found& found, const Job& job, const Resources& need) {
  for (const std::size_t i : found.victims) {
    const TaskKey& task = attempt(i).key.task;
    if (!falls_with_its_gang(state_.job(task.job), task)) {
      take(i);
      continue;
    }
    for (const std::size_t other : of_gang_.at(task.job)) take(other);
  }
  plan_on(found.tracker, job, need);
}

void ContainerVictims::plan_on(TrackerId tracker, const Job& job, const Resources& need) {
  made_[tracker.index()] -= need;
  if (kept()) kept()->take(kept()->leaf_of(job), need);
  if (member_.job.valid()) planned_.push_back({member_, tracker});
}

std::optional<TrackerId> ContainerVictims::put(JobId job, TaskKind kind) {
  const Resources& need = state_.job(job).need(kind);
  if (!is_left(state_.job(job), need)) return std::nullopt;
  for (const TrackerState& tracker : state_.trackers()) {
    if (!has(room(tracker.id), need) || !may_start(job, kind, tracker.id)) continue;
    const Reservation* kept = reservation_on(state_, tracker.id);
    if (kept != nullptr && kept->job != job) continue;
    plan_on(tracker.id, state_.job(job), need);
    return tracker.id;
  }
  return std::nullopt;
}

ClaimBlock ContainerVictims::plan_gang(const Job& job, const KillForMember& kill_for,
                                       bool log_only, Preemption& plan) {
  collect();
  const Plan before{.taken = taken_.size(), .freed = freed_, .made = made_, .kept = kept()};
  std::vector<KillOrder> kills;
  std::vector<GangRoom> free;
  std::map<TrackerId, Resources> taken;  // by these
  planned_.clear();
  for (const TaskKey& member : gang_without_room(state_, job)) {
    member_ = member;
    if (const auto tracker = put(job.id, member.kind)) {
      const TrackerState& there = state_.tracker(*tracker);
      Resources used = used_on(state_, there);
      used += taken[*tracker];
      if (!state_.fits_in(job.need(member.kind), there, used)) continue;
      free.push_back({member, *tracker});
      taken[*tracker] += job.need(member.kind);
      continue;
    }
    const ClaimBlock block = kill_for(member.kind, kills);
    if (block == ClaimBlock::kNone) continue;
    go_back_to(before);
    return block;
  }
  member_ = {};
  planned_.clear();
  plan.kills.insert(plan.kills.end(), kills.begin(), kills.end());
  if (log_only) return ClaimBlock::kNone;
  plan.gang = job.id;
  plan.rooms = std::move(free);
  return ClaimBlock::kNone;
}

bool is_on_its_way(const ClusterState& state, const Job& job) {
  const auto& holds = state.claims().holds();
  const std::size_t waiting = gang_without_room(state, job).size();
  const auto of_job =
      std::count_if(holds.begin(), holds.end(), [&](const Hold& h) { return h.job == job.id; });
  return static_cast<std::size_t>(of_job) >= waiting;
}

bool waits_for_another_gang(const ClusterState& state, const Job& job) {
  const Assembly* other = state.assembly();
  return other != nullptr && other->job != job.id && !other->beyond;
}

void ContainerVictims::go_back_to(const Plan& plan) {
  for (std::size_t i = plan.taken; i < taken_.size(); ++i) candidates_[taken_[i]].taken = false;
  taken_.resize(plan.taken);
  freed_ = plan.freed;
  made_ = plan.made;
  kept() = plan.kept;
  may_find_.clear();
  member_ = {};
  planned_.clear();
}

}  // namespace weir
