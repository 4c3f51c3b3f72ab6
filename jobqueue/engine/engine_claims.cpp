// What queues are owed: claims, preemption, held and reserved slots. The policy finds, the engine
// checks and enters it in the ClaimBook (claims.h).
#include <algorithm>

#include "jobqueue/engine/engine.h"

namespace weir {

// --- Claims ---

void Engine::review_claims(bool tick) {
  if (recovering() || !unreported_.empty()) return;
  if (!policy_->keeps_claims()) {
    meet_paused_claims();
    if (tick) drop_paused_claims();
    return;
  }
  claim_steps_.clear();
  policy_->review(now_, tick, claim_steps_);
  for (const ClaimStep& step : claim_steps_) enter(step);
  claim_steps_.clear();
  policy_->claim(claim_steps_);
  for (const ClaimStep& step : claim_steps_) enter(step);
}

void Engine::enter(const ClaimStep& step) {
  ClaimBook& book = state_.mutable_claims();
  changes_.queues = true;
  switch (step.what) {
    case ClaimStep::What::kOpen: {
      const DurationMs after = reclaim_after_ms(state_.tree(), step.queue, step.kind);
      const Claim& claim = book.open(step.queue, step.kind, step.slots, now_, after);
      emit(ClaimOpened{claim.id, state_.tree().node(step.queue).path, step.kind,
                               claim.slots, claim.born, claim.deadline, false});
      return;
    }
    case ClaimStep::What::kMeet:
    case ClaimStep::What::kDrop:
      return reduce_claims(step);
    case ClaimStep::What::kSeen:
      return book.set_running_seen(step.queue, step.kind, step.slots);
    case ClaimStep::What::kCounted:
      return book.set_counted_free(step.queue, step.kind, step.slots);
    case ClaimStep::What::kIdle:
      book.mutable_lending(step.queue, step.kind) = {.idle = true, .idle_since = now_};
      return;
    case ClaimStep::What::kRelease:
      return release_reservations(step.job, TrackerId{});
    case ClaimStep::What::kLend:
      book.mutable_lending(step.queue, step.kind).lends = true;
      break;
    case ClaimStep::What::kNotIdle:
      book.mutable_lending(step.queue, step.kind) = {};
      break;
  }
  policy_->on_lending_changed(step.queue, step.kind);
}

void Engine::reduce_claims(const ClaimStep& step) {
  const bool met = step.what == ClaimStep::What::kMeet;
  const std::string& path = state_.tree().node(step.queue).path;
  for (std::int64_t left = step.slots; left > 0;) {
    if (state_.claims().claims(step.queue, step.kind).empty()) return;
    std::int64_t taken = 0;
    const Claim now = state_.mutable_claims().reduce(step.queue, step.kind, left, met, taken);
    left -= taken;
    if (met) {
      emit(ClaimMet{now.id, path, step.kind, taken, now.slots, now.deadline});
    } else {
      emit(ClaimDropped{now.id, path, step.kind, taken, now.slots, now.deadline});
    }
    if (now.slots == 0) claim_over(now);
  }
}

// Slots on their way to the queue serve its other claims, if it has any.
void Engine::claim_over(const Claim& claim) {
  const auto& others = state_.claims().claims(claim.queue, claim.kind);
  if (others.empty()) {
    return end_holds([&](const Hold& hold) { return hold.claim == claim.id; },
                     KillRecord::Outcome::kWasted);
  }
  for (Hold& hold : state_.mutable_claims().mutable_holds()) {
    if (hold.claim == claim.id) hold.claim = others.front().id;
  }
}

// Under another policy no claims arise, and launches meet them.
void Engine::meet_paused_claims() {
  const ClaimBook& book = state_.claims();
  claim_steps_.clear();
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : book.by_deadline(kind)) {
      if (book.claims(queue, kind).front().id != id) continue;  // once a queue
      const std::int64_t running = state_.queue(queue).running_slots[index(kind)];
      const std::int64_t seen = book.running_seen(queue, kind);
      if (running == seen) continue;
      const std::int64_t launched = seen < 0 ? 0 : std::max<std::int64_t>(0, running - seen);
      const std::int64_t left = seen < 0 ? 0 : std::max<std::int64_t>(0, seen - running);
      const std::int64_t before = book.counted_free(queue, kind);
      const std::int64_t counted = std::min(launched, before);
      if (left - counted != 0) {
        claim_steps_.push_back({ClaimStep::What::kCounted, queue, kind, before + left - counted});
      }
      if (launched > counted) {
        claim_steps_.push_back({ClaimStep::What::kMeet, queue, kind, launched - counted});
      }
      claim_steps_.push_back({ClaimStep::What::kSeen, queue, kind, running});
    }
  }
  for (const ClaimStep& step : claim_steps_) enter(step);
}

// And what is wanted less is not owed either.
void Engine::drop_paused_claims() {
  const ClaimBook& book = state_.claims();
  claim_steps_.clear();
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : book.by_deadline(kind)) {
      if (book.claims(queue, kind).front().id != id) continue;  // once a queue
      const std::int64_t less = book.owed(queue, kind) - shortfalls_->shortfall(queue, kind);
      if (less > 0) claim_steps_.push_back({ClaimStep::What::kDrop, queue, kind, less});
    }
  }
  for (const ClaimStep& step : claim_steps_) enter(step);
}

// Whose claims will stand still under the next policy: stored with the switch, for a restart cannot
// tell it from the settings.
std::string Engine::claims_owner(const Policy& next) const {
  if (next.keeps_claims()) return {};
  std::string ruling(policy_->name());
  std::string owner = policy_->keeps_claims() ? ruling : claims_policy_;
  for (const PendingCommand& command : pending_) {
    const auto* change = std::get_if<PolicyChanged>(&command.command);
    if (change == nullptr) continue;
    ruling = change->policy;
    owner = change->claims_of.empty() ? ruling : change->claims_of;
  }
  return owner;
}

// What slots are kept for is the business of the policy that ruled.
void Engine::free_kept_slots() {
  end_holds([](const Hold&) { return true; }, KillRecord::Outcome::kWasted);
  while (!state_.claims().reservations().empty()) {
    release_reservations(state_.claims().reservations().back().job, TrackerId{});
  }
}

// While another policy ruled, the claims' remaining time stood still.
void Engine::resume_claims() {
  if (!claims_paused_at_) return;
  state_.mutable_claims().shift(now_ - *claims_paused_at_);
  claims_paused_at_.reset();
  claims_policy_.clear();
  shortfalls_.reset();
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : state_.claims().by_deadline(kind)) {
      const Claim& claim = *state_.claims().find(queue, kind, id);
      emit(ClaimOpened{id, state_.tree().node(queue).path, kind, claim.slots, claim.born,
                               deadline, true});
    }
  }
}

void Engine::restore_claims(const Snapshot& snapshot) {
  state_.mutable_claims().skip_ids_below(snapshot.next_claim);
  for (const ClaimSnapshot& old : snapshot.claims) {
    const auto queue = state_.tree().find_path(old.queue);
    if (!queue || !state_.tree().leaf(*queue) || old.slots <= 0) continue;
    const TimeMs deadline = later(old.born, reclaim_after_ms(state_.tree(), *queue, old.kind));
    state_.mutable_claims().restore({.id = old.claim,
                                     .queue = *queue,
                                     .kind = old.kind,
                                     .slots = old.slots,
                                     .born = old.born,
                                     .deadline = deadline,
                                     .kills_from = deadline});
  }
}

void Engine::pause_claims(const Snapshot& snapshot) {
  claims_paused_at_ = snapshot.policy_since > 0 ? snapshot.policy_since : now_;
  claims_policy_ = snapshot.claims_policy;
  shortfalls_ = std::make_unique<Shortfalls>(state_);
}

// --- Preemption ---

void Engine::preempt_for_claims() {
  if (recovering() || !unreported_.empty()) return;
  const Preemption plan = policy_->tick(now_);
  for (const KillOrder& order : plan.kills) preempt(order);
  for (const KillOrder& order : plan.kills) {
    if (!order.log_only || order.claim == 0)
      continue;  // what would have been done is told once a timer
    const DurationMs after = reclaim_after_ms(state_.tree(), order.for_queue, order.kind);
    state_.mutable_claims().postpone(order.for_queue, order.kind, order.claim, later(now_, after));
  }
  for (const ClaimFinding& found : plan.findings) {
    state_.mutable_claims().set_block(found.queue, found.kind, found.claim, found.block,
                                      found.width);
  }
}

// The mechanism's own check of an order to kill.
const char* Engine::wrong_with(const KillOrder& order) const {
  if (order.victims.empty()) return "no victim is named";
  const TrackerId tracker = state_.attempt(order.victims.front()).tracker;
  for (const AttemptSlot slot : order.victims) {
    const Attempt& attempt = state_.attempt(slot);
    if (!attempt.live || attempt.dying()) return "the attempt does not run";
    if (attempt.tracker != tracker) return "the victims are on several trackers";
  }
  if (order.claim == 0) return nullptr;
  const Claim* claim = state_.claims().find(order.for_queue, order.kind, order.claim);
  if (claim == nullptr) return "there is no such claim";
  if (now_ < claim->kills_from) return "the claim is not due";
  return nullptr;
}

bool Engine::preempt(const KillOrder& order) {
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
      order.claim == 0 ? nullptr : book.find(order.for_queue, order.kind, order.claim);
  Hold hold{.claim = order.claim,
            .queue = order.for_queue,
            .pool = order.for_pool,
            .kind = order.kind,
            .tracker = tracker,
            .job = order.job,
            .slots = order.slots,
            .ordered_at = now_};
  const bool holds = (claim != nullptr || !order.for_pool.empty()) && !order.log_only;
  if (holds) hold.id = book.next_hold();
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
                     .from_pool = std::string(policy_->pool_of(task.job)),
                     .user = attempt.user,
                     .slots = state_.job(task.job).width(task.kind),
                     .ran_ms = attempt.in_slots_ms(now_),
                     .outcome = order.log_only ? KillRecord::Outcome::kLoggedOnly
                                               : KillRecord::Outcome::kPending});
    if (order.log_only) continue;
    std::uint8_t& preempted =
        state_.mutable_job(task.job).tasks(task.kind).tasks[task.index].preempted;
    if (preempted < UINT8_MAX) ++preempted;
    attempt.hold = hold.id;
    ++hold.dying;
    hold.dying_slots += state_.job(task.job).width(task.kind);
    order_kill(slot, order.reason, order.for_queue, order.claim, order.for_pool);
  }
  if (!holds) return true;
  book.mutable_holds().push_back(hold);
  ++state_.mutable_tracker(tracker).keeps;
  return true;
}

// --- Slots held for a claimant ---

void Engine::end_hold(std::size_t place, KillRecord::Outcome outcome) {
  ClaimBook& book = state_.mutable_claims();
  const Hold hold = book.holds()[place];
  book.mutable_holds().erase(book.mutable_holds().begin() + static_cast<std::ptrdiff_t>(place));
  --state_.mutable_tracker(hold.tracker).keeps;
  book.settle_records(hold.id, outcome);
  if (hold.used || hold.claim == 0) return;
  const DurationMs after = reclaim_after_ms(state_.tree(), hold.queue, hold.kind);
  book.postpone(hold.queue, hold.kind, hold.claim, later(hold.ordered_at, after));
}

// A task of the claimant takes so many of the slots; what is left goes on waiting for it.
void Engine::use_hold(std::size_t place, std::int64_t slots) {
  Hold& hold = state_.mutable_claims().mutable_holds()[place];
  hold.slots -= slots;
  hold.used = true;
  state_.mutable_claims().settle_records(hold.id, KillRecord::Outcome::kUsed);
  if (hold.slots <= 0) end_hold(place, KillRecord::Outcome::kUsed);
}

void Engine::end_holds(const std::function<bool(const Hold&)>& which, KillRecord::Outcome outcome) {
  for (std::size_t i = state_.claims().holds().size(); i-- > 0;) {
    if (which(state_.claims().holds()[i])) end_hold(i, outcome);
  }
}

void Engine::expire_holds() {
  const DurationMs patience = 2 * heartbeat_interval_ms();
  end_holds([&](const Hold& h) { return h.complete() && now_ - h.free_since >= patience; },
            KillRecord::Outcome::kWasted);
}

void Engine::victim_left(const Attempt& attempt) {
  for (Hold& hold : state_.mutable_claims().mutable_holds()) {
    if (hold.id != attempt.hold) continue;
    --hold.dying;
    hold.dying_slots -= state_.job(attempt.key.task.job).width(attempt.key.task.kind);
    hold.free_since = now_;
  }
}

// --- Answers of the policy that are no launches ---

bool Engine::settle_choice(TrackerState& tracker, const Choice& choice) {
  if (choice.what == Choice::What::kReserve) return reserve(choice);
  const std::uint32_t before = tracker.keeps;
  if (choice.what == Choice::What::kEndHold) {
    end_holds([&](const Hold& h) { return h.id == choice.hold && h.tracker == tracker.id; },
              KillRecord::Outcome::kWasted);
  } else {
    release_reservations(choice.task.job, tracker.id);
  }
  return tracker.keeps < before;  // else it would be asked for ever
}

bool Engine::reserve(const Choice& choice) {
  const Job* job = state_.find_job(choice.task.job);
  if (job == nullptr || !job->schedulable() || !choice.reserve_on.valid()) return false;
  TrackerState& tracker = state_.mutable_tracker(choice.reserve_on);
  for (const Reservation& other : state_.claims().reservations()) {
    if (other.kind != choice.task.kind) continue;
    if (other.job == job->id || other.tracker == tracker.id) return false;
  }
  if (!tracker.live()) return false;
  state_.mutable_claims().mutable_reservations().push_back(
      {job->id, choice.task.kind, tracker.id, job->width(choice.task.kind)});
  ++tracker.keeps;
  return true;
}

// Those of the job (on the tracker, if one is named), or all of the tracker.
void Engine::release_reservations(JobId job, TrackerId tracker) {
  if (state_.claims().reservations().empty()) return;
  std::erase_if(state_.mutable_claims().mutable_reservations(), [&](const Reservation& r) {
    if (job.valid() && r.job != job) return false;
    if (tracker.valid() && r.tracker != tracker) return false;
    --state_.mutable_tracker(r.tracker).keeps;
    return true;
  });
}

}  // namespace weir
