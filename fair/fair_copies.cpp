// Copy-compute splitting (fair.md): launched reduces copy in places of their own, which go round by
// copies / weight; who has copied asks for slots, and these are what everything else sees. Slots
// are granted on the tracker where a reduce has copied, so only those that wait there are compared,
// each with each along their pools: no order over all jobs is needed.
#include <algorithm>

#include "fair/fair_policy.h"
#include "fair/weights.h"
#include "jobqueue/policy/kept_slots.h"

namespace weir {

// --- Places to copy in ---

void FairPolicy::join_copies(JobEntry& entry) {
  const JobStand& stand = entry.stand[index(TaskKind::kReduce)];
  entry.copies = std::make_unique<JobStand>(JobStand{.job = stand.job,
                                                     .pool = stand.pool,
                                                     .priority = stand.priority,
                                                     .width = stand.width,
                                                     .limited = stand.limited});
  copies_->join(*entry.copies);
}

void FairPolicy::leave_copies(JobEntry& entry) {
  copies_->leave(*entry.copies);
  entry.copies.reset();
}

// What it copies, those that wait included, and what it could.
void FairPolicy::read_copies(JobEntry& entry, const Job& job) const {
  const TaskKind kind = TaskKind::kReduce;
  const TaskGroup& group = job.tasks(kind);
  JobFacts facts{.runnable = entry.runnable,
                 .running = (group.copying + group.copied) * entry.copies->width};
  if (entry.runnable) {
    if (const std::uint32_t launchable = job.launchable(kind); launchable > 0) {
      auto& placeable = entry.placeable[index(kind)];
      if (!placeable) placeable = placeable_(job, kind);
      if (*placeable) facts.pending = launchable * entry.copies->width;
    }
  }
  set_copies(entry, job, facts);
}

void FairPolicy::set_copies(JobEntry& entry, const Job& job, JobFacts facts) const {
  if (facts.runnable) {
    facts.weight = job_weight(job.priority, settings_->size_based_weight, facts.demand());
    if (adjuster_ != nullptr) {
      facts.weight = adjuster_->adjust(job, TaskKind::kReduce, facts.weight, state_.now()).weight;
    }
  }
  copies_->set(*entry.copies, facts);
}

// Whether the first job of the bucket may copy here. One whose reduces are wider than what is left
// gathers places: they stay free until there are enough.
bool FairPolicy::may_copy(const PoolJobs::Bucket& bucket, const Slots& slots) {
  for (QueueId q = bucket.limited; q.valid(); q = state_.tree().parent(q)) {
    if (bucket.width > queue_maximum_[index(slots.kind)][q.index()]) return false;
  }
  if (bucket.width <= slots.free) return true;
  beat_.gathers = bucket.width <= state_.tracker(slots.offer.tracker).total.slots(slots.kind);
  if (beat_.gathers) ++rules_[kGatheredPlaces];
  return false;
}

// --- Slots for those that have copied ---

std::optional<Choice> FairPolicy::choose_compute(const Offer& offer) {
  const TaskKind kind = TaskKind::kReduce;
  settle();
  if (by_deficit_) deal_guarantees();
  std::int64_t free = offer.free[index(kind)];
  if (state_.tracker(offer.tracker).keeps > 0) {
    const auto take = [&](const Waiters& who, std::int64_t slots) -> std::optional<Choice> {
      const auto first = first_waiting(offer, who);
      if (!first || first->width > slots) return std::nullopt;
      ++rules_[kServedHold];
      return Choice{.task = first->task, .what = Choice::What::kCompute};
    };
    const auto take_held = [&](const Hold& hold, std::int64_t slots) {
      const PoolId pool = tree_.find(hold.pool);
      return pool.valid() ? take({.pool = pool}, slots) : std::nullopt;
    };
    const auto may_take = [&](const Reservation& reservation) {
      return first_waiting(offer, {.job = reservation.job}).has_value();
    };
    const auto take_reserved = [&](const Reservation& reservation) {
      return take({.job = reservation.job}, reservation.slots);
    };
    if (auto choice =
            weir::choose_kept(state_, offer, kind, free, take_held, may_take, take_reserved)) {
      return choice;
    }
  }
  const auto first = first_waiting(offer, {.pool = PoolTree::root()});
  if (!first) return std::nullopt;
  if (first->width > free) {  // the slots wait here until there are enough
    return Choice{.task = first->task, .what = Choice::What::kReserve, .reserve_on = offer.tracker};
  }
  ++rules_[kGrantedSlots];
  return Choice{.task = first->task, .what = Choice::What::kCompute};
}

// Of those that wait on the offered tracker and may compute.
std::optional<FairPolicy::Waiting> FairPolicy::first_waiting(const Offer& offer,
                                                             const Waiters& who) const {
  const TaskKind kind = TaskKind::kReduce;
  const TrackerState& tracker = state_.tracker(offer.tracker);
  std::optional<Waiting> first;
  for (std::size_t i = 0; i < tracker.held.size(); ++i) {
    const HeldAttempt& held = tracker.held[i];
    if (held.copy != CopyStage::kCopied || held.state == AttemptState::kDying) continue;
    if (who.job.valid() && who.job != held.key.task.job) continue;
    const JobEntry* entry = find_entry(held.key.task.job);
    if (entry == nullptr || !entry->joined) continue;
    if (who.pool.valid() && !tree_.contains(who.pool, entry->pool)) continue;
    const std::int64_t width = entry->stand[index(kind)].width;
    if (width > tracker.total.slots(kind) || width > pool_room(entry->pool, kind) ||
        width > queue_room(entry->queue, kind)) {
      continue;
    }
    const Waiting waiting{held.key.task, entry, width,
                          state_.attempt(tracker.attempts[i]).launch_order};
    if (!first || comes_before(waiting, *first)) first = waiting;
  }
  return first;
}

bool FairPolicy::comes_before(const Waiting& a, const Waiting& b) const {
  if (a.entry == b.entry) return a.launch_order < b.launch_order;
  return stands_before(*a.entry, *b.entry, TaskKind::kReduce);
}

// The order of slots, for these two. Jobs over a limit come last: what they have launched goes on.
bool FairPolicy::stands_before(const JobEntry& a, const JobEntry& b, TaskKind kind) const {
  if (a.runnable != b.runnable) return a.runnable;
  if (by_deficit_) return deficit_key(a, kind) < deficit_key(b, kind);
  const Standings& standings = standings_[index(kind)];
  if (a.pool == b.pool) {
    return standings.key_of(a.stand[index(kind)]) < standings.key_of(b.stand[index(kind)]);
  }
  PoolId left = a.pool;  // up to where the two are siblings
  PoolId right = b.pool;
  while (!tree_.contains(tree_.node(left).parent, right)) left = tree_.node(left).parent;
  while (!tree_.contains(tree_.node(right).parent, left)) right = tree_.node(right).parent;
  return standings.order_key(left) < standings.order_key(right);
}

void FairPolicy::on_copied(AttemptSlot slot) {
  const JobId job = state_.attempt(slot).key.task.job;
  JobEntry* entry = find_entry(job);
  if (entry != nullptr && entry->joined) read(*entry, state_.job(job), TaskKind::kReduce);
}

// --- Explaining ---

// Why reduces that are not launched yet wait.
Reason FairPolicy::explain_copies(const Job& job) const {
  const std::int64_t places = state_.total_slots(TaskKind::kReduce) * settings_->copy_factor;
  std::int64_t taken = 0;
  for (const TrackerState& tracker : state_.trackers()) {
    if (tracker.in_pool()) taken += tracker.copy_slots;
  }
  const std::uint32_t pending = job.tasks(TaskKind::kReduce).pending();
  return {"no_place_to_copy",
          std::to_string(pending) + (pending == 1 ? " reduce waits for a place to copy its input; "
                            : " reduces wait for a place to copy their input; ") +
              std::to_string(taken) + " of " +
              std::to_string(places) + " are taken",
          {{"pending", pending}, {"taken", taken}, {"places", places}}};
}

}  // namespace weir
