// Which task the fair policy gives next where containers count: heads of jobs and pools, their
// steps and keys, and who may reserve.
#include <algorithm>
#include <numeric>

#include "fair/container_fair.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

std::optional<Choice> ContainerFair::choose(const Offer& offer) {
  amounts_.settle();
  const TrackerState& tracker = state_.tracker(offer.tracker);
  if (tracker.keeps > 0) {
    if (auto held = choose_held(tracker)) return held;
    if (const Reservation* kept = reservation_on(state_, tracker.id))
      return choose_reserved(*kept, tracker);
  }
  const ReserveHere reserve(state_, tracker);
  const Reach reach{.tracker = tracker, .used = used_on(state_, tracker), .reserve = &reserve};
  const auto head = head_of(PoolTree::root(), reach);
  if (!head || head->waits) return std::nullopt;
  if (head->size->gang) return choice_of_gang(state_.job(head->pick.task.job), reach);
  return head->reserves ? reserve_of(head->pick.task, tracker.id) : launch_of(head->pick);
}

// Room that a kill has freed is offered to its pool, and is anybody's if that wants it no more.
std::optional<Choice> ContainerFair::choose_held(const TrackerState& tracker) const {
  for (const Hold& hold : state_.claims().holds()) {
    if (hold.tracker != tracker.id || !hold.complete()) continue;
    const PoolId pool = tree_.find(hold.pool);
    Resources used = used_on(state_, tracker);
    used -= hold.kept_room();
    std::optional<Head> head;
    const Job* claimant = state_.find_job(hold.job);
    if (claimant != nullptr && claimant->waits_for_gang(hold.kind)) {
      const JobLine* line = find(claimant->id);
      const Resources& sum = claimant->need(claimant->gang_kind());
      const bool may =
          line != nullptr && within_pools(*line, sum) && within_queues(*claimant, sum);
      return take_for_gang(state_, hold, may);
    }
    if (!hold.pool.empty() && pool.valid())
      head = head_of(pool, {.tracker = tracker, .used = used, .for_hold = true});
    if (!head || head->waits || !within_pools(*find(head->pick.task.job), head->size->need))
      return Choice{.what = Choice::What::kEndHold, .hold = hold.id};
    Choice choice = launch_of(head->pick);
    choice.hold = hold.id;
    return choice;
  }
  return std::nullopt;
}

// The tracker waits for that task; what ends before it gets its room may start besides.
std::optional<Choice> ContainerFair::choose_reserved(const Reservation& kept,
                                                     const TrackerState& tracker) const {
  if (const std::string_view why = over(kept); !why.empty()) return release_of(kept, why);
  const Job& job = state_.job(kept.job);
  const Resources& need = job.need(kept.kind);
  const Resources used = used_on(state_, tracker);
  if (state_.fits_in(need, tracker, used)) {
    const JobLine& line = *find(job.id);
    const bool gang = job.waits_for_gang(kept.kind);
    const Resources& bounded = gang ? job.need(job.gang_kind()) : need;
    if (!within_pools(line, bounded) || !within_queues(job, bounded) ||
        !leaves_what_is_kept(line.pool, need))
      return std::nullopt;
    if (gang) return choice_of_gang(job, {.tracker = tracker, .used = used});
    return launch_of(state_.pick_task(job.id, kept.kind, tracker.id));
  }
  const auto ends_by = room_by(state_, tracker, need);
  if (!ends_by) return std::nullopt;
  const auto head =
      head_of(PoolTree::root(), {.tracker = tracker, .used = used, .ends_by = ends_by});
  return head && !head->waits ? std::optional(launch_of(head->pick)) : std::nullopt;
}

std::string_view ContainerFair::over(const Reservation& kept) const {
  if (const std::string_view why = reservation_over(state_, kept); !why.empty()) return why;
  const JobLine* line = find(kept.job);
  if (line == nullptr) return "over";
  const Resources& need = state_.job(kept.job).need(kept.kind);
  if (!short_on_the_way(*line, need)) return "share";
  return short_of_maximums(*line, need) ? "" : "maximum";
}

// --- Heads ---

std::optional<ContainerFair::Head> ContainerFair::head_of(PoolId pool, const Reach& reach) const {
  const PoolTree::Node& node = tree_.node(pool);
  std::optional<Head> best;
  if (node.leaf()) {
    best = head_of_leaf(pool, reach);
  } else {
    std::vector<PoolId> children;
    std::vector<PoolRank> at_best;
    for (const auto& [name, child] : node.children) {
      children.push_back(child);
      at_best.push_back(amounts_.best_rank(child));
    }
    best = first_of(at_best, [&](std::size_t i) { return head_of(children[i], reach); });
  }
  if (!best || !place(pool, *best)) return std::nullopt;
  return best;
}

// The one that comes first, earlier ones first among equals: they are asked in the order in which
// they stand at best, until nobody could come before what is found.
template <class Ask>
std::optional<ContainerFair::Head> ContainerFair::first_of(const std::vector<PoolRank>& at_best,
                                                           Ask ask) {
  std::vector<std::size_t> order(at_best.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return at_best[a] < at_best[b];
  });
  std::optional<Head> best;
  std::size_t best_place = 0;
  for (const std::size_t i : order) {
    if (best && best->rank < at_best[i]) break;
    const auto head = ask(i);
    if (!head) continue;
    const bool better = !best || head->rank < best->rank ||
                        (!(best->rank < head->rank) && i < best_place);
    if (!better) continue;
    best = head;
    best_place = i;
  }
  return best;
}

std::optional<ContainerFair::Head> ContainerFair::head_of_leaf(PoolId leaf,
                                                               const Reach& reach) const {
  if (!could_give(leaf, reach)) return std::nullopt;
  if (PoolAmounts::sharing(tree_.node(leaf)) == PoolSettings::Sharing::kFifo)
    return first_in_order(leaf, reach);
  amounts_.settle_jobs(leaf);
  std::vector<const JobLine*> jobs;
  std::vector<PoolRank> at_best;
  for (const auto& [tie, line] : amounts_.jobs(leaf)) {
    if (!line->runnable) continue;
    jobs.push_back(line);
    at_best.push_back(amounts_.best_rank(*line));
  }
  return first_of(at_best, [&](std::size_t i) {
    auto head = head_of_job(*jobs[i], reach);
    if (head) head->rank = amounts_.rank(*jobs[i], jobs[i]->running, head->size->need);
    return head;
  });
}

std::optional<ContainerFair::Head> ContainerFair::first_in_order(PoolId leaf,
                                                                 const Reach& reach) const {
  std::optional<Head> best;
  Priority best_priority{};
  for (const auto& [tie, line] : amounts_.jobs(leaf)) {
    if (best && !(line->priority < best_priority)) continue;
    const auto head = head_of_job(*line, reach);
    if (!head) continue;
    best = head;
    best_priority = line->priority;
  }
  return best;
}

// Whether the tracker has room for any of the sizes that are wanted there, or could be reserved.
bool ContainerFair::could_give(PoolId leaf, const Reach& reach) const {
  const auto bounded = [&] {  // what waits for room below a maximum holds others up
    for (PoolId p = leaf; p != PoolTree::root(); p = tree_.node(p).parent) {
      const auto& maximum = tree_.node(p).settings->maximum;
      if (std::any_of(maximum.begin(), maximum.end(), [](const auto& m) { return m.has_value(); }))
        return true;
    }
    return false;
  };
  for (const auto& [size, wanted] : amounts_.sizes(leaf)) {
    if (size->gang || state_.fits_in(size->need, reach.tracker, reach.used)) return true;
    if (reach.reserve != nullptr &&
        reach.reserve->may({.size = size, .picky = wanted.picky > 0}))
      return true;
    if (state_.trackers_with_room(size->need) > 0 && bounded()) return true;
  }
  return false;
}

// Its groups in their order.
std::optional<ContainerFair::Head> ContainerFair::head_of_job(const JobLine& line,
                                                              const Reach& reach) const {
  if (!line.runnable) return std::nullopt;
  const Job& job = state_.job(line.job);
  for (const TaskKind kind : job.items()) {
    if (job.launchable(kind) == 0) continue;
    const Size* size = job.tasks(kind).size;
    if (size->gang) {
      if (auto head = head_of_gang(line, reach)) return head;
      continue;
    }
    if (!leaves_what_is_kept(line.pool, size->need)) continue;
    if (state_.fits_in(size->need, reach.tracker, reach.used)) {
      const DurationMs limit = job.time_limit_ms(kind);
      if (reach.ends_by && (limit == 0 || state_.now() + limit > *reach.ends_by)) continue;
      if (!within_queues(job, size->need)) return std::nullopt;
      if (const auto pick = state_.pick_task(job.id, kind, reach.tracker.id))
        return Head{.pick = *pick, .size = size};
      continue;
    }
    if (!short_on_the_way(line, size->need) || !short_of_maximums(line, size->need)) continue;
    if (!within_pools(line, size->need) && finds_room(state_, job, kind))
      return Head{.pick = {.task = {job.id, kind}}, .size = size, .waits = true};
    if (reach.reserve == nullptr) continue;
    const ContainerItems::Bucket bucket{.size = size, .picky = job.picky(kind)};
    if (!reach.reserve->may(bucket)) continue;
    if (const auto task = reach.reserve->task(job, kind))
      return Head{.pick = {.task = *task}, .size = size, .reserves = true};
  }
  return std::nullopt;
}

// Room that it holds already is not asked for again; it collects some only below its maximums.
std::optional<ContainerFair::Head> ContainerFair::head_of_gang(const JobLine& line,
                                                               const Reach& reach) const {
  const Job& job = state_.job(line.job);
  const Resources missing = sum_of(job, gang_without_room(state_, job));
  if (reach.ends_by || reach.for_hold || !leaves_what_is_kept(line.pool, missing))
    return std::nullopt;
  const auto choice = choice_of_gang(job, reach);
  if (!choice) return std::nullopt;
  const bool reserves = choice->what == Choice::What::kReserve;
  const Size& size = job.size(job.gang_kind());
  if (!reserves && !within_queues(job, size.need)) return std::nullopt;
  if (choice->what == Choice::What::kAssemble && !within_pools(line, size.need))
    return std::nullopt;
  return Head{.pick = {.task = choice->task}, .size = &size, .reserves = reserves};
}

std::optional<Choice> ContainerFair::choice_of_gang(const Job& job, const Reach& reach) const {
  const GangSearch gangs(state_, reach.tracker, reach.reserve,
                         [this](const Job& other) { return gang_within(other); });
  const Resources& sum = job.need(job.gang_kind());
  const JobLine& line = *find(job.id);
  return gangs.choice(job, short_on_the_way(line, sum) && short_of_maximums(line, sum));
}

bool ContainerFair::gang_within(const Job& job) const {
  const JobLine* line = find(job.id);
  if (line == nullptr) return false;
  const Resources& sum = job.need(job.gang_kind());
  const bool in_order =
      PoolAmounts::sharing(tree_.node(line->pool)) == PoolSettings::Sharing::kFifo;
  amounts_.settle_jobs(line->pool);
  if (!in_order && !amounts_.within_share(*line, line->running, sum)) return false;
  for (PoolId p = line->pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const ShareLine& pool = amounts_.pool(p);
    if (!amounts_.within_share(pool, pool.running, sum)) return false;
  }
  return true;
}

bool ContainerFair::place(PoolId pool, Head& head) const {
  if (pool == PoolTree::root()) return true;
  const ShareLine& line = amounts_.pool(pool);
  const Resources& need = head.size->need;
  if (!head.reserves && !within_pool(pool, state_.job(head.pick.task.job), need)) return false;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& most = tree_.node(pool).settings->maximum[d.value()];
    if (head.reserves && most && need[d] > 0 && line.running[d] >= *most) return false;
  }
  head.rank = amounts_.rank(pool, line.running, need);
  return true;
}

// --- Bounds ---

bool ContainerFair::short_on_the_way(const JobLine& line, const Resources& need) const {
  const bool in_order =
      PoolAmounts::sharing(tree_.node(line.pool)) == PoolSettings::Sharing::kFifo;
  amounts_.settle_jobs(line.pool);
  if (!in_order && !amounts_.short_of_share(line, need)) return false;
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    if (!amounts_.short_of_share(amounts_.pool(p), need)) return false;
  }
  return true;
}

bool ContainerFair::short_of_maximums(const JobLine& line, const Resources& need) const {
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    for (const Dimension d : state_.space().dimensions()) {
      const auto& most = tree_.node(p).settings->maximum[d.value()];
      if (most && need[d] > 0 && amounts_.pool(p).running[d] >= *most) return false;
    }
  }
  const QueueId leaf = state_.job(line.job).queue;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (bounds_.has_maximum(q) &&
        !is_short(state_.space(), state_.queue(q).running, need, bounds_.maximum(q)))
      return false;
  }
  return true;
}

// With what reservations of other jobs keep, as within_pool(), and with `more` in each queue.
bool ContainerFair::within_queues(const Job& job, const Resources& need,
                                  const std::map<QueueId, Amounts>* more) const {
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds_.has_maximum(q)) continue;
    Amounts taken = taken_by_others(state_, q, job.id);
    if (more != nullptr && more->contains(q)) taken += more->at(q);
    if (!within(state_.space(), taken, need, bounds_.maximum(q))) return false;
  }
  return true;
}

bool ContainerFair::within_pool(PoolId pool, const Job& job, const Resources& need) const {
  const auto& maximum = tree_.node(pool).settings->maximum;
  if (std::none_of(maximum.begin(), maximum.end(), [](const auto& m) { return m.has_value(); }))
    return true;
  Amounts taken = amounts_.pool(pool).running;
  for (const Reservation& kept : state_.claims().reservations()) {
    const JobLine* other = find(kept.job);
    if (kept.job == job.id || other == nullptr || !tree_.contains(pool, other->pool)) continue;
    const Resources& reserved = state_.job(kept.job).need(kept.kind);
    for (const Dimension d : state_.space().dimensions()) taken[d] += reserved[d];
  }
  if (const Assembly* gang = state_.assembly(); gang != nullptr && gang->job != job.id) {
    const JobLine* other = find(gang->job);
    for (const GangRoom& room : gang->rooms) {
      if (other == nullptr || !tree_.contains(pool, other->pool)) break;
      const Resources& held = state_.job(gang->job).need(room.task.kind);
      for (const Dimension d : state_.space().dimensions()) taken[d] += held[d];
    }
  }
  for (const Dimension d : state_.space().dimensions()) {
    if (maximum[d.value()] && need[d] > 0 && taken[d] + need[d] > *maximum[d.value()]) return false;
  }
  return true;
}

bool ContainerFair::within_pools(const JobLine& line, const Resources& need) const {
  const Job& job = state_.job(line.job);
  for (PoolId p = line.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    if (!within_pool(p, job, need)) return false;
  }
  return true;
}

// --- Minimum shares that are not lent ---

std::int64_t ContainerFair::kept(PoolId pool, Dimension d) const {
  const PoolSettings& settings = *tree_.node(pool).settings;
  const std::int64_t minimum = settings.minimum[d.value()].value_or(0);
  if (!settings.lend) return 0;
  const Guarantee& lent = (*settings.lend)[d];
  if (lent.unit == Guarantee::Unit::kUnset) return 0;
  if (lent.unit != Guarantee::Unit::kPercent)
    return std::max<std::int64_t>(0, minimum - lent.amount);
  return minimum - static_cast<std::int64_t>(Int128(minimum) * lent.amount / kWholeInHundredths);
}

Amounts ContainerFair::kept_idle(PoolId pool) const {
  Amounts idle;
  for (const auto& [name, child] : tree_.node(pool).children) idle += kept_idle(child);
  for (const Dimension d : state_.space().dimensions())
    idle[d] = std::max(idle[d], kept(pool, d) - amounts_.pool(pool).running[d]);
  return idle;
}

Amounts ContainerFair::kept_for_others(PoolId leaf) const {
  Amounts kept;
  for (PoolId p = leaf; p != PoolTree::root(); p = tree_.node(p).parent) {
    for (const auto& [name, sibling] : tree_.node(tree_.node(p).parent).children) {
      if (sibling != p) kept += kept_idle(sibling);
    }
  }
  return kept;
}

bool ContainerFair::leaves_what_is_kept(PoolId leaf, const Resources& need) const {
  if (!any_lends_less_) return true;
  const Amounts kept = kept_for_others(leaf);
  for (const Dimension d : state_.space().dimensions()) {
    if (need[d] > 0 && state_.total()[d] - state_.held()[d] - need[d] < kept[d]) return false;
  }
  return true;
}

}  // namespace weir
