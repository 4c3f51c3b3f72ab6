// How claims and lending follow the figures (capacity.md, "Claims and kill timers"). A leaf's
// claims may be at most its shortfall, min(GC, DEM) - RUN in whole tasks, and are at least what of
// it no free slot covers. So a slot that the queue freed and filled again changes nothing, more
// running meets the earliest claim, less wanted drops the latest, and a free slot alone ends none.
// RUN is with slots that the queue's own tasks have freed and that were not offered yet.
#include <algorithm>

#include "capacity/capacity_policy.h"
#include "capacity/kill_planner.h"

namespace weir {

void CapacityPolicy::review(TimeMs now, bool tick, std::vector<ClaimStep>& steps) {
  const bool kept = !state_.claims().freed().empty() || !state_.claims().reservations().empty();
  for (const TaskKind kind : kTaskKinds) {
    SlotClass& c = classes_[index(kind)];
    if (!tick && !kept && is_reviewed(c)) continue;
    settle_facts(kind);
    review_freed(kind);
    for (const QueueId queue : c.to_review) {
      c.in_review[queue.index()] = false;
      if (!lenders_.empty()) review_lending(queue, kind, steps);
      if (state_.tree().leaf(queue)) review_claims(queue, kind, steps);
    }
    c.to_review.clear();
    if (!state_.claims().reservations().empty()) review_reservations(kind, steps);
    if (!tick) continue;
    for (const QueueId queue : lenders_) {
      const ClaimBook::Lending& lending = state_.claims().lending(queue, kind);
      const DurationMs after = state_.tree().node(queue).settings.lend_after_ms;
      const QueueLine& line = c.shares.line(queue);
      const bool idle = lending.idle && line.demand < line.guaranteed;
      if (idle && !lending.lends && now - lending.idle_since >= after) {
        steps.push_back({ClaimStep::What::kLend, queue, kind, 0});
      }
    }
  }
}

// As after most heartbeats: nothing has changed since.
bool CapacityPolicy::is_reviewed(const SlotClass& c) const {
  return !c.resized && c.marked.empty() && c.to_review.empty() && c.had_freed.empty();
}

void CapacityPolicy::claim(std::vector<ClaimStep>& steps) {
  for (const TaskKind kind : kTaskKinds) {
    if (!classes_[index(kind)].short_of.empty()) open_claims(kind, steps);
  }
}

// What a queue's tasks have freed counts as if they ran, until it was offered: then it is looked at
// again, whether anything was launched or not.
void CapacityPolicy::review_freed(TaskKind kind) {
  SlotClass& c = classes_[index(kind)];
  for (const FreedSlots& freed : state_.claims().freed()) {
    if (freed.kind == kind) c.had_freed.push_back(freed.queue);
  }
  for (const QueueId queue : c.had_freed) review_next(queue, kind);
  c.had_freed.clear();
  for (const FreedSlots& freed : state_.claims().freed()) {
    if (freed.kind == kind) c.had_freed.push_back(freed.queue);
  }
}

// Up to what the leaf may keep: what it had borrowed is anybody's at once. And only what is there
// still: the tracker may have shrunk or left the pool.
std::int64_t CapacityPolicy::freed_in(QueueId leaf, TaskKind kind) const {
  const QueueLine& line = classes_[index(kind)].shares.line(leaf);
  std::map<TrackerId, std::int64_t> on;
  for (const FreedSlots& freed : state_.claims().freed()) {
    if (freed.queue == leaf && freed.kind == kind) on[freed.tracker] += freed.slots;
  }
  std::int64_t slots = 0;
  for (const auto& [id, freed] : on) {
    slots += std::min(freed, state_.free_slots(state_.tracker(id), kind));
  }
  return std::min(slots, std::max<std::int64_t>(0, line.kept() - line.facts.running));
}

void CapacityPolicy::review_reservations(TaskKind kind, std::vector<ClaimStep>& steps) const {
  settle(kind);
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.kind != kind || keeps_reservation(kept)) continue;
    steps.push_back({ClaimStep::What::kRelease, QueueId{}, kind, 0, kept.job});
  }
}

void CapacityPolicy::review_lending(QueueId queue, TaskKind kind,
                                    std::vector<ClaimStep>& steps) const {
  const QueueLine& line = classes_[index(kind)].shares.line(queue);
  const bool waits = state_.tree().node(queue).settings.lend_after_ms > 0;
  const bool idle = waits && line.demand < line.guaranteed;
  if (idle == state_.claims().lending(queue, kind).idle) return;
  steps.push_back({idle ? ClaimStep::What::kIdle : ClaimStep::What::kNotIdle, queue, kind, 0});
}

void CapacityPolicy::review_claims(QueueId leaf, TaskKind kind, std::vector<ClaimStep>& steps) {
  SlotClass& c = classes_[index(kind)];
  const std::int64_t owed = state_.claims().owed(leaf, kind);
  const std::int64_t missing = shortfall(leaf, kind);
  if (owed == 0) return note_short(leaf, kind, missing, 0);
  const ClaimBook& book = state_.claims();
  const std::int64_t running = c.shares.line(leaf).facts.running + freed_in(leaf, kind);
  const std::int64_t seen = book.running_seen(leaf, kind);
  const std::int64_t launched = seen < 0 ? 0 : std::max<std::int64_t>(0, running - seen);
  const std::int64_t left = seen < 0 ? 0 : std::max<std::int64_t>(0, seen - running);
  std::int64_t counted = book.counted_free(leaf, kind) + left;
  const std::int64_t on_counted = std::min(launched, counted);
  const std::int64_t met = std::min(owed, launched - on_counted);
  const std::int64_t dropped = std::max<std::int64_t>(0, owed - met - missing);
  counted =
      std::min(counted - on_counted, std::max<std::int64_t>(0, missing - (owed - met - dropped)));
  if (met > 0) steps.push_back({ClaimStep::What::kMeet, leaf, kind, met});
  if (dropped > 0) steps.push_back({ClaimStep::What::kDrop, leaf, kind, dropped});
  if (counted != book.counted_free(leaf, kind)) {
    steps.push_back({ClaimStep::What::kCounted, leaf, kind, counted});
  }
  if (running != seen) steps.push_back({ClaimStep::What::kSeen, leaf, kind, running});
  note_short(leaf, kind, missing, owed - met - dropped);
}

void CapacityPolicy::note_short(QueueId leaf, TaskKind kind, std::int64_t missing,
                                std::int64_t claimed) {
  SlotClass& c = classes_[index(kind)];
  if (missing > claimed) {
    c.short_of.set(leaf, {missing, c.shares.line(leaf).facts.wide_jobs > 0});
  } else {
    c.short_of.erase(leaf);
  }
}

// A shortfall beyond what is claimed, and beyond the free slots that the order of slots would give
// the queue, is a claim of its own.
void CapacityPolicy::open_claims(TaskKind kind, std::vector<ClaimStep>& steps) {
  SlotClass& c = classes_[index(kind)];
  if (state_.free_slots(kind) > 0) {
    if (free_slots_cover_all(kind)) return;
    deal_free_slots(kind);
  }
  std::vector<QueueId> settled;
  for (const auto& [leaf, now] : c.short_of.leaves()) {
    const std::int64_t claimed = state_.claims().owed(leaf, kind);
    if (now.missing <= claimed) {
      settled.push_back(leaf);
      continue;
    }
    std::int64_t dealt = 0;
    if (state_.free_slots(kind) > 0) {
      const auto found = c.dealt.find(leaf);
      if (found != c.dealt.end()) dealt = found->second;
    }
    if (now.missing - dealt <= claimed) continue;
    steps.push_back({ClaimStep::What::kOpen, leaf, kind, now.missing - dealt - claimed});
    const std::int64_t running = c.shares.line(leaf).facts.running + freed_in(leaf, kind);
    steps.push_back({ClaimStep::What::kSeen, leaf, kind, running});
    steps.push_back({ClaimStep::What::kCounted, leaf, kind, dealt});
  }
  for (const QueueId leaf : settled) c.short_of.erase(leaf);
}

// In a flat list of queues every slot goes to one that is short of its guarantee while there is
// one: if there are as many free as all are short of, nothing has to be dealt to know.
bool CapacityPolicy::free_slots_cover_all(TaskKind kind) const {
  const SlotClass& c = classes_[index(kind)];
  if (state_.tree().leaves().size() + 1 != state_.tree().size()) return false;
  std::int64_t free = state_.free_slots(kind);
  for (const FreedSlots& freed : state_.claims().freed()) {  // at most so many are spoken for
    free -= freed.kind == kind ? freed.slots : 0;
  }
  for (const Hold& hold : state_.claims().holds()) free -= hold.kind == kind ? hold.kept() : 0;
  for (const Reservation& r : state_.claims().reservations()) free -= r.kind == kind ? r.slots : 0;
  if (c.short_of.any_wide()) return false;
  // All that is claimed, less what those who are short claim: their shortfall is with it.
  free -= c.short_of.missing() + state_.claims().owed(kind);
  for (auto leaf = c.short_of.leaves().begin(); free < 0 && leaf != c.short_of.leaves().end();
       ++leaf) {
    free += state_.claims().owed(leaf->first, kind);
  }
  return free >= 0;
}

std::int64_t CapacityPolicy::shortfall(QueueId leaf, TaskKind kind) const {
  const SlotClass& c = classes_[index(kind)];
  const QueueLine& line = c.shares.line(leaf);
  if (line.under_one_slot) return 0;
  const std::int64_t gap = line.kept() - line.facts.running - freed_in(leaf, kind);
  if (gap <= 0) return 0;
  if (line.facts.wide_jobs == 0 && line.facts.dying == 0) return gap;
  return need_of(leaf, kind).owed(gap, [this, kind](JobId id) {
    const JobEntry& entry = *find_entry(id);
    return WantedOfJob{.order = entry.order,
                       .user = entry.user,
                       .width = width(id, kind),
                       .tasks = entry.counted[index(kind)]};
  });
}

// --- Preemption ---

void CapacityPolicy::plan_kills(TaskKind kind, TimeMs now, Preemption& plan) const {
  const auto& due = state_.claims().by_deadline(kind);
  if (due.empty() || std::get<0>(*due.begin()) > now) return;
  const SlotClass& c = classes_[index(kind)];
  KillPlanner planner(
      state_, kind, now, settings_.preemption,
      {.line = [&](QueueId q) -> const QueueLine& { return c.shares.line(q); },
       .jobs = [&](QueueId leaf) -> const LeafJobs& { return leaf_of(leaf, kind).jobs; }});
  planner.plan(plan);
}

}  // namespace weir
