#include "jobqueue/engine/holds.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/policy/container_reservations.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

// What slots are kept for is the business of the policy that ruled.
void Holds::free_kept_slots() {
  end_holds([](const Hold&) { return true; }, KillRecord::Outcome::kWasted);
  parts_.gangs.release(JobId{}, "policy");
  state_.end_amount_waits();
  state_.set_reserve_turn(std::nullopt);
  while (!state_.claims().reservations().empty()) {
    release_reservations(state_.claims().reservations().all().back().job, TrackerId{}, "policy");
  }
}

// --- Preemption ---

void Holds::preempt_for_claims() {
  if (parts_.recovery.waits_for_reports()) return;
  const Preemption plan = policy_->tick(now_);
  parts_.gangs.hold_for_claimant(plan.gang, plan.rooms);
  for (const KillOrder& order : plan.kills) preempt(order);
  for (const KillOrder& order : plan.kills) {
    if (!order.log_only || order.claim == 0)
      continue;  // what would have been done is told once a timer
    const DurationMs after = reclaim_after_ms(state_.tree(), order.for_queue, order.in());
    state_.mutable_claims().postpone(order.for_queue, order.in(), order.claim, later(now_, after));
  }
  for (const JobId job : plan.wait_no_more) state_.end_amount_wait(job);
  follow_reserve_turn();
  for (const Preemption::Unreserve& over : plan.unreserve)
    release_reservations(over.job, TrackerId{}, over.why);
  parts_.gangs.give_up(plan.give_up_rooms);
  for (const ClaimFinding& found : plan.findings) {
    state_.mutable_claims().set_block(found.queue, found.dimension, found.claim, found.block,
                                      found.width);
  }
}

// The mechanism's own check of an order to kill.
const char* Holds::wrong_with(const KillOrder& order) const {
  if (order.victims.empty()) return "no victim is named";
  const TrackerId tracker = state_.attempt(order.victims.front()).tracker;
  for (const AttemptSlot slot : order.victims) {
    const Attempt& attempt = state_.attempt(slot);
    if (!attempt.live || attempt.dying()) return "the attempt does not run";
    if (attempt.tracker != tracker) return "the victims are on several trackers";
  }
  if (order.claim == 0) return nullptr;
  const Claim* claim = state_.claims().find(order.for_queue, order.in(), order.claim);
  if (claim == nullptr) return "there is no such claim";
  if (now_ < claim->kills_from) return "the claim is not due";
  return nullptr;
}

// Nothing where slots count.
Resources Holds::container_of(const TaskKey& task) const {
  Resources container;
  if (!state_.space().containers()) return container;
  const Resources& need = state_.job(task.job).need(task.kind);
  for (const Dimension d : state_.space().dimensions()) container[d] = need[d];
  return container;
}

bool Holds::preempt(const KillOrder& order) {
  if (const char* wrong = wrong_with(order)) {
    emit(
        Refused{"policy",
                Error{ErrorCode::kInternal,
                      "policy " + std::string(policy_->name()) + " ordered a kill: " + wrong, ""}});
    return false;
  }
  ClaimBook& book = state_.mutable_claims();
  const TrackerId tracker = state_.attempt(order.victims.front()).tracker;
  const Claim* claim =
      order.claim == 0 ? nullptr : book.find(order.for_queue, order.in(), order.claim);
  Hold hold{.claim = order.claim,
            .queue = order.for_queue,
            .pool = order.for_pool,
            .kind = order.kind,
            .dimension = order.in(),
            .tracker = tracker,
            .job = order.job,
            .slots = order.slots,
            .ordered_at = now_};
  if (state_.space().containers()) {
    for (const Dimension d : state_.space().dimensions()) hold.need[d] = order.need[d];
  }
  const bool holds = (claim != nullptr || !order.for_pool.empty()) && !order.log_only;
  if (holds) hold.id = book.next_hold();
  const bool containers = state_.space().containers();
  for (const AttemptSlot slot : order.victims) {
    Attempt& attempt = state_.mutable_attempt(slot);
    const TaskKey& task = attempt.key.task;
    book.add_record({.at = now_,
                     .claim = order.claim,
                     .claimant = order.for_queue,
                     .for_pool = order.for_pool,
                     .owed_ms = claim == nullptr ? order.owed_ms : now_ - claim->born,
                     .hold = hold.id,
                     .attempt = attempt.key,
                     .tracker = tracker,
                     .victim = attempt.queue,
                     .from_pool = std::string(pool_of(*policy_, task.job)),
                     .user = attempt.user,
                     .slots = containers ? 1 : state_.job(task.job).width(task.kind),
                     .container = container_of(task),
                     .ran_ms = attempt.in_slots_ms(now_),
                     .outcome = order.log_only ? KillRecord::Outcome::kLoggedOnly
                                               : KillRecord::Outcome::kPending});
    if (order.log_only) continue;
    note_loss(book.records().back(), false);
    std::uint8_t& preempted =
        state_.mutable_job(task.job).tasks(task.kind).tasks[task.index].preempted;
    if (preempted < UINT8_MAX) ++preempted;
    attempt.hold = hold.id;
    ++hold.dying;
    hold.dying_slots += state_.job(task.job).width(task.kind);
    if (containers) {
      const Resources& need = state_.job(task.job).need(task.kind);
      for (const Dimension d : state_.space().dimensions()) hold.dying_need[d] += need[d];
    }
  }
  if (!order.log_only) {
    parts_.attempts.order_kills(order.victims, order.reason, order.for_queue, order.claim,
                                order.for_pool);
  }
  if (!holds) return true;
  book.mutable_holds().push_back(hold);
  state_.keep_on(state_.mutable_tracker(tracker), 1);
  return true;
}

void Holds::note_loss(const KillRecord& record, bool taken_back) {
  const KillLoss loss{state_.tree().node(record.victim).path, record.from_pool, record.at,
                      record.lost_slot_ms()};
  KillLosses& losses = state_.mutable_claims().mutable_losses();
  taken_back ? losses.take_back(loss) : losses.add(loss);
  emit(SlotsLost{loss, taken_back});
}

// --- Slots held for a claimant ---

void Holds::end_hold(std::size_t place, KillRecord::Outcome outcome) {
  ClaimBook& book = state_.mutable_claims();
  const Hold hold = book.holds()[place];
  book.mutable_holds().erase(book.mutable_holds().begin() + static_cast<std::ptrdiff_t>(place));
  state_.keep_on(state_.mutable_tracker(hold.tracker), -1);
  book.settle_records(hold.id, outcome);
  if (hold.used || hold.claim == 0) return;
  const DurationMs after = reclaim_after_ms(state_.tree(), hold.queue, hold.dimension);
  book.postpone(hold.queue, hold.dimension, hold.claim, later(hold.ordered_at, after));
}

// A task of the claimant takes so many of the slots; what is left goes on waiting for it. The room
// of a container is for one task.
void Holds::use_hold(std::size_t place, std::int64_t slots) {
  Hold& hold = state_.mutable_claims().mutable_holds()[place];
  hold.slots -= slots;
  hold.used = true;
  state_.mutable_claims().settle_records(hold.id, KillRecord::Outcome::kUsed);
  if (hold.slots <= 0) end_hold(place, KillRecord::Outcome::kUsed);
}

void Holds::end_holds(const std::function<bool(const Hold&)>& which, KillRecord::Outcome outcome) {
  for (std::size_t i = state_.claims().holds().size(); i-- > 0;) {
    if (which(state_.claims().holds()[i])) end_hold(i, outcome);
  }
}

void Holds::expire_holds() {
  const DurationMs patience = 2 * state_.heartbeat_interval_ms();
  end_holds([&](const Hold& h) { return h.complete() && now_ - h.free_since >= patience; },
            KillRecord::Outcome::kWasted);
}

void Holds::victim_left(const Attempt& attempt) {
  for (Hold& hold : state_.mutable_claims().mutable_holds()) {
    if (hold.id != attempt.hold) continue;
    --hold.dying;
    hold.dying_slots -= state_.job(attempt.key.task.job).width(attempt.key.task.kind);
    if (state_.space().containers()) {
      const Resources& need = state_.job(attempt.key.task.job).need(attempt.key.task.kind);
      for (const Dimension d : state_.space().dimensions()) hold.dying_need[d] -= need[d];
    }
    hold.free_since = now_;
  }
}

// --- Answers of the policy that are no launches ---

bool Holds::settle_choice(TrackerState& tracker, const Choice& choice) {
  if (choice.what == Choice::What::kReserve) return reserve(choice);
  if (choice.what == Choice::What::kWaitForAmount) return wait_for_amount(choice);
  if (choice.what == Choice::What::kWaitToReserve) return wait_to_reserve(choice);
  const std::uint32_t before = tracker.keeps;
  if (choice.what == Choice::What::kEndHold) {
    end_holds([&](const Hold& h) { return h.id == choice.hold && h.tracker == tracker.id; },
              KillRecord::Outcome::kWasted);
  } else {
    release_reservations(choice.task.job, tracker.id, choice.why, choice.task.kind);
  }
  return tracker.keeps < before;  // else it would be asked for ever
}

// Who waits already has its place.
bool Holds::wait_for_amount(const Choice& choice) {
  const TaskKey& task = choice.task;
  const Job* job = state_.find_job(task.job);
  if (job == nullptr || !job->schedulable() || !job->has(task.kind)) return false;
  for (const ClusterState::AmountWait& wait : state_.amount_waits()) {
    if (wait.job == job->id && wait.kind == task.kind) return false;
  }
  if (job->waits_for_gang(task.kind))
    parts_.gangs.begin(state_.mutable_job(job->id), choice.beyond);
  state_.end_amount_wait(job->id);
  state_.wait_for_amount({job->id, task.kind});
  return true;
}

bool Holds::wait_to_reserve(const Choice& choice) {
  const Job* job = state_.find_job(choice.task.job);
  if (job == nullptr || !job->schedulable() || !job->has(choice.task.kind)) return false;
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn != nullptr && turn->job == job->id && turn->kind == choice.task.kind) return false;
  end_reserve_turn();
  state_.set_reserve_turn(ClusterState::ReserveTurn{job->id, choice.task.kind, {}});
  policy_->on_reserve_turn(job->id);
  return true;
}

void Holds::end_reserve_turn() {
  if (state_.reserve_turn() == nullptr) return;
  const Job* job = state_.find_job(state_.reserve_turn()->job);
  state_.set_reserve_turn(std::nullopt);
  if (job != nullptr) policy_->on_reserve_turn(job->id);
}

// Each tracker reports within that time, so it was asked on all that nobody has reserved: if it has
// reserved none, others came before it, and may have the turn.
void Holds::follow_reserve_turn() {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn == nullptr) return;
  const Job* job = state_.find_job(turn->job);
  const bool wanted =
      job != nullptr && job->schedulable() &&
      job->launchable(job->waits_for_gang(turn->kind) ? job->gang_kind() : turn->kind) > 0;
  const Places places = wanted ? places_for(state_, *job, turn->kind) : Places::kNone;
  if (places == Places::kNone) return end_reserve_turn();
  ClusterState::ReserveTurn now = *turn;
  if (all_reserved(state_) || places != Places::kOpen) {
    now.open_since.reset();
  } else if (!now.open_since) {
    now.open_since = now_;
  } else if (now_ - *now.open_since >= 2 * state_.heartbeat_interval_ms()) {
    return end_reserve_turn();
  }
  state_.set_reserve_turn(now);
}

// A smaller task has a tracker reserved while a larger one has the turn: the next is for that.
void Holds::note_smaller(const Job& job, TaskKind kind) {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn == nullptr || turn->job == job.id) return;
  const Resources* larger = need_of_turn(state_);
  if (larger == nullptr || !is_larger(state_.space(), *larger, job.need(kind))) return;
  ClusterState::ReserveTurn now = *turn;
  const std::string_view pool = pool_of(*policy_, job.id);
  now.had.emplace(pool.empty() ? state_.tree().node(job.queue).path : pool);
  state_.set_reserve_turn(now);
}

// Whether that reservation, by the task of whose turn it was, or the last that may be made, does. A
// smaller task uses it soon and reserves it again: the turn outlasts that.
bool Holds::ends_reserve_turn(const Job& job, TaskKind kind) const {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn == nullptr || turn->job == job.id) return turn != nullptr;
  if (!all_reserved(state_)) return false;
  const Resources* next = need_of_turn(state_);
  return next == nullptr || !is_larger(state_.space(), *next, job.need(kind));
}

bool Holds::reserve(const Choice& choice) {
  const Job* job = state_.find_job(choice.task.job);
  if (job == nullptr || !job->schedulable() || !choice.reserve_on.valid()) return false;
  if (state_.space().containers()) return reserve_container(*job, choice);
  TrackerState& tracker = state_.mutable_tracker(choice.reserve_on);
  for (const Reservation& other : state_.claims().reservations()) {
    if (other.kind != choice.task.kind) continue;
    if (other.job == job->id || other.tracker == tracker.id) return false;
  }
  if (!tracker.live()) return false;
  state_.reserve({.job = job->id,
                  .kind = choice.task.kind,
                  .tracker = tracker.id,
                  .slots = job->width(choice.task.kind)});
  return true;
}

// A job has one reservation, and a tracker: one elsewhere has moved here.
bool Holds::reserve_container(const Job& job, const Choice& choice) {
  const TrackerState& tracker = state_.tracker(choice.reserve_on);
  if (!tracker.in_pool() || tracker.keeps > 0 || !job.has(choice.task.kind)) return false;
  if (job.waits_for_gang(choice.task.kind))
    parts_.gangs.begin(state_.mutable_job(job.id), choice.beyond);
  if (choice.gives_way.valid()) release_reservations(choice.gives_way, TrackerId{}, "gives_way");
  release_reservations(job.id, TrackerId{}, "better");
  state_.reserve({.job = job.id,
                  .kind = choice.task.kind,
                  .tracker = tracker.id,
                  .least = lack_on(tracker, job.size(choice.task.kind))});
  if (ends_reserve_turn(job, choice.task.kind)) end_reserve_turn();
  note_smaller(job, choice.task.kind);
  policy_->on_reserved(job.id, job.queue);
  emit(Reserved{choice.task, tracker.id, job.queue});
  return true;
}

// Those of the job (on the tracker, if one is named), or all of the tracker; of that kind of tasks,
// if one is named: of slots a job may have one each.
void Holds::release_reservations(JobId job, TrackerId tracker, std::string_view why,
                                 std::optional<TaskKind> kind) {
  const Reservations& reservations = state_.claims().reservations();
  if (job.valid() ? reservations.of(job) == nullptr : reservations.on(tracker) == nullptr) return;
  const std::vector<Reservation>& all = reservations.all();
  for (std::size_t i = 0; i < all.size();) {
    const Reservation kept = all[i];
    if ((job.valid() && kept.job != job) || (tracker.valid() && kept.tracker != tracker) ||
        (kind && kept.kind != *kind)) {
      ++i;
      continue;
    }
    state_.unreserve(i);
    if (!state_.space().containers()) continue;
    policy_->on_reserved(kept.job, kept.queue);
    emit(Unreserved{kept.job, kept.tracker, std::string(why)});
  }
}

}  // namespace weir
