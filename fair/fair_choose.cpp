// Which task a free slot goes to: held and reserved slots, then maps and reduces in turn, each down
// the order of pools to a leaf and along the order of its jobs (fair.md, "Choosing").
#include <algorithm>
#include <memory>
#include <utility>

#include "fair/fair_policy.h"
#include "jobqueue/policy/kept_slots.h"

namespace weir {

void FairPolicy::begin_offer(const Offer& offer) {
  std::construct_at(&beat_);  // in its place: a copy would wait for what was just written
  beat_.tracker = offer.tracker;
  beat_.free = offer.free;
  const TrackerState& tracker = state_.tracker(offer.tracker);
  for (const TaskKind kind : kTaskKinds) {
    beat_.running_slots[index(kind)] = tracker.used.slots(kind);
  }
  for (const HeldAttempt& held : tracker.held) {
    const TaskKind kind = held.key.task.kind;
    if (held.state == AttemptState::kDying) {
      if (!held.has_slots()) continue;
      beat_.running_slots[index(kind)] -= state_.job(held.key.task.job).width(kind);
    } else {
      ++beat_.running_tasks[index(kind)];
    }
  }
  if (copies_) beat_.running_slots[index(TaskKind::kReduce)] = tracker.copy_slots;
  if (delay_.on()) delay_.begin(offer.now);
}

void FairPolicy::end_offer(const Offer& offer) {
  if (delay_.on()) delay_.end(offer.now);
}

std::optional<Choice> FairPolicy::choose(const Offer& offer) {
  settle();
  if (by_deficit_) deal_guarantees();
  std::array<std::int64_t, kTaskKindCount> free = offer.free;
  const bool keeps = state_.tracker(offer.tracker).keeps > 0;
  std::array<bool, kTaskKindCount> kept{};  // perhaps: not looked at yet
  for (const TaskKind kind : kTaskKinds) kept[index(kind)] = keeps && !splits(kind);
  while (const auto kind = next_kind(offer, free, kept)) {
    if (std::exchange(kept[index(*kind)], false)) {
      if (auto choice = choose_kept(*kind, free[index(*kind)], offer)) return choice;
      continue;
    }
    const Slots slots{offer, *kind, free[index(*kind)], false, splits(*kind)};
    auto choice = by_deficit_ && !slots.copies ? ask_in_line(PoolTree::root(), slots)
                                               : ask(PoolTree::root(), slots, INT64_MAX);
    if (choice) return choice;
    beat_.closed[index(*kind)] = true;
  }
  return std::nullopt;
}

bool FairPolicy::may_give_more(TaskKind kind, const Offer& offer) const {
  if (!settings_->assign_multiple) return offer.launched[0] + offer.launched[1] == 0;
  const auto most = settings_->max_per_heartbeat[index(kind)];
  return !most || offer.launched[index(kind)] < *most;
}

// Of the kinds that are open that of which the tracker runs less; maps if it runs as many. Slots
// that are kept for somebody are given whatever the load.
std::optional<TaskKind> FairPolicy::next_kind(
    const Offer& offer, const std::array<std::int64_t, kTaskKindCount>& free,
    const std::array<bool, kTaskKindCount>& kept) {
  const auto open = [&](TaskKind kind) {
    const std::size_t k = index(kind);
    if (free[k] <= 0 || !may_give_more(kind, offer)) return false;
    if (kept[k]) return true;
    if (beat_.closed[k] || standings_for(kind).line(PoolTree::root()).pending == 0) return false;
    if (under_load_cap(kind, offer.free[k])) return true;
    ++rules_[kLoadCapped];
    return false;
  };
  const bool maps = open(TaskKind::kMap);
  const bool reduces = open(TaskKind::kReduce);
  if (!maps && !reduces) return std::nullopt;
  if (!maps || !reduces) return maps ? TaskKind::kMap : TaskKind::kReduce;
  return beat_.running_tasks[0] + offer.launched[0] <= beat_.running_tasks[1] + offer.launched[1]
             ? TaskKind::kMap
             : TaskKind::kReduce;
}

// With so many slots left free there.
bool FairPolicy::under_load_cap(TaskKind kind, std::int64_t free) const {
  const std::int64_t running_here =
      beat_.running_slots[index(kind)] + beat_.free[index(kind)] - free;
  return running_here < load_cap(kind, state_.tracker(beat_.tracker), running_here);
}

// --- Second attempts of stragglers ---

bool FairPolicy::may_speculate(JobId id, TaskKind kind, const Offer& offer) {
  settle();
  if (by_deficit_) deal_guarantees();
  const JobEntry* entry = find_entry(id);
  if (entry == nullptr || !entry->joined || !entry->runnable) return false;
  if (splits(kind) && beat_.gathers) return false;
  const std::int64_t width = entry->stand[index(kind)].width;
  const Standings& standings = standings_for(kind);
  return may_give_more(kind, offer) && under_load_cap(kind, offer.free[index(kind)]) &&
         width <= room_in(standings, entry->pool) && width <= queue_room(entry->queue, kind);
}

bool FairPolicy::comes_before(JobId a, JobId b, TaskKind kind) const {
  return stands_before(*find_entry(a), *find_entry(b), kind);
}

std::int64_t FairPolicy::load_cap(TaskKind kind, const TrackerState& tracker,
                                  std::int64_t running_here) const {
  const std::int64_t places = splits(kind) ? settings_->copy_factor : 1;  // for each slot
  return load_manager_->cap({.tracker_slots = tracker.total.slots(kind) * places,
                             .running_here = running_here,
                             .cluster_slots = state_.total_slots(kind) * places,
                             .demand = standings_for(kind).cluster_demand(),
                             .load_millionths = tracker.load_millionths});
}

// --- Slots that are kept for somebody ---

// Takes what stays kept off `free`.
std::optional<Choice> FairPolicy::choose_kept(TaskKind kind, std::int64_t& free,
                                              const Offer& offer) {
  const auto take_held = [&](const Hold& hold, std::int64_t width) {
    std::optional<Choice> choice;
    const PoolId pool = tree_.find(hold.pool);
    if (!pool.valid()) return choice;
    const Slots slots{offer, kind, width, true};
    choice = by_deficit_ ? ask_in_line(pool, slots) : ask(pool, slots, pool_room(pool, kind));
    if (choice && choice->what == Choice::What::kLaunch) ++rules_[kServedHold];
    return choice;
  };
  const auto may_take = [&](const Reservation& kept) {
    const JobEntry* entry = find_entry(kept.job);
    const Job& job = state_.job(kept.job);
    return entry != nullptr && entry->runnable && job.launchable(kind) > 0 &&
           state_.may_run_on(job, kind, state_.tracker(kept.tracker)) &&
           kept.slots <= pool_room(entry->pool, kind) && kept.slots <= queue_room(job.queue, kind);
  };
  return weir::choose_kept(state_, offer, kind, free, take_held, may_take,
                           [&](const Reservation& kept) {
                             return ask_job(kept.job, {offer, kind, free}, true);
                           });
}

// What the maximums from the pool up leave.
std::int64_t FairPolicy::pool_room(PoolId pool, TaskKind kind) const {
  return room_in(standings_[index(kind)], pool);
}

std::int64_t FairPolicy::room_in(const Standings& standings, PoolId pool) const {
  std::int64_t room = INT64_MAX;
  for (PoolId p = pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const Standings::Line& line = standings.line(p);
    room = std::min(room, line.maximum - line.running);
  }
  return room;
}

std::int64_t FairPolicy::queue_room(QueueId queue, TaskKind kind) const {
  std::int64_t room = INT64_MAX;
  if (!queue_limited_[queue.index()]) return room;
  for (QueueId q = queue; q != QueueTree::root(); q = state_.tree().node(q).parent)
    room = std::min(room, room_below_maximum(q, kind));
  return room;
}

// Others may run more than there is: on trackers that do not count any more.
std::int64_t FairPolicy::room_below_maximum(QueueId queue, TaskKind kind) const {
  if (!state_.tree().node(queue).settings.maximum_hundredths) return INT64_MAX / 2;
  return queue_maximum_[index(kind)][queue.index()] - state_.queue(queue).running[kind];
}

// --- The order of pools ---

std::optional<Choice> FairPolicy::ask(PoolId pool, const Slots& slots, std::int64_t room) {
  if (tree_.node(pool).leaf()) return ask_leaf(pool, slots, room);
  const Standings& standings = standings_for(slots);
  std::optional<Choice> choice;
  standings.visit(pool, [&](PoolId child) {
    const Standings::Line& line = standings.line(child);
    choice = ask(child, slots, std::min(room, line.maximum - line.running));
    if (choice && line.needy()) ++rules_[kServedNeedy];
    return choice.has_value() || (slots.copies && beat_.gathers);
  });
  return choice;
}

// --- Within a leaf ---

std::optional<Choice> FairPolicy::ask_leaf(PoolId leaf, const Slots& slots, std::int64_t room) {
  const TaskKind kind = slots.kind;
  std::optional<Choice> choice;
  const bool urgent = delay_.on() && (slots.urgent || starved(leaf, kind, slots.offer.now));
  // A bucket whose tasks are wider than what is free may still reserve a tracker for its first job.
  const auto may = [&](const PoolJobs::Bucket& bucket) {
    if (bucket.width > room) return false;
    if (slots.copies) return may_copy(bucket, slots);
    if (bucket.limited.valid() && bucket.width > queue_room(bucket.limited, kind)) return false;
    if (bucket.width <= slots.free) return true;
    ++rules_[kWidePassed];
    choice = reserve_tracker(state_, bucket.jobs.first()->job, kind);
    if (choice) ++rules_[kReserved];
    return choice.has_value();
  };
  standings_for(slots).jobs(leaf).visit(may, [&](JobId job) {
    if (slots.copies && beat_.gathers) return true;
    if (!choice) choice = ask_job(job, slots, urgent);
    return choice.has_value();
  });
  return choice;
}

std::optional<Choice> FairPolicy::ask_job(JobId job, const Slots& slots, bool urgent) {
  const TrackerId tracker = slots.offer.tracker;
  if (slots.kind == TaskKind::kReduce || !delay_.on()) {
    return selector_->pick(state_, job, slots.kind, tracker, Locality::kAny);
  }
  auto choice = selector_->pick(state_, job, slots.kind, tracker, delay_.allowed(job, urgent));
  if (choice) {
    delay_.launched(job, choice->locality, choice->located);
  } else {
    delay_.passed(job);
    ++rules_[kPassedForLocality];
  }
  return choice;
}

}  // namespace weir
