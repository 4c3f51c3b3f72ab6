#include "jobqueue/engine/claim_keeper.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/policy/claims_facet.h"

namespace weir {

// --- Claims ---

void ClaimKeeper::review_claims(bool tick) {
  if (parts_.recovery.waits_for_reports()) return;
  Claims* const rules = policy_->claims();
  if (rules == nullptr) {
    meet_paused_claims();
    if (tick) drop_paused_claims();
    return;
  }
  claim_steps_.clear();
  rules->review(now_, tick, claim_steps_);
  for (const ClaimStep& step : claim_steps_) enter(step);
  claim_steps_.clear();
  rules->claim(claim_steps_);
  for (const ClaimStep& step : claim_steps_) enter(step);
}

void ClaimKeeper::enter(const ClaimStep& step) {
  ClaimBook& book = state_.mutable_claims();
  changes_.queues = true;
  switch (step.what) {
    case ClaimStep::What::kOpen: {
      const DurationMs after = reclaim_after_ms(state_.tree(), step.queue, step.dimension);
      const Claim& claim = book.open(step.queue, step.dimension, step.slots, now_, after);
      emit(ClaimOpened{claim.id, state_.tree().node(step.queue).path, step.dimension, claim.slots,
                       claim.born, claim.deadline, false});
      return;
    }
    case ClaimStep::What::kMeet:
    case ClaimStep::What::kDrop:
      return reduce_claims(step);
    case ClaimStep::What::kSeen:
      return book.set_running_seen(step.queue, step.dimension, step.slots);
    case ClaimStep::What::kCounted:
      return book.set_counted_free(step.queue, step.dimension, step.slots);
    case ClaimStep::What::kIdle:
      book.mutable_lending(step.queue, step.dimension) = {.idle = true, .idle_since = now_};
      return;
    case ClaimStep::What::kRelease:
      return parts_.holds.release_reservations(step.job, TrackerId{}, "share",
                                               step.dimension.kind());
    case ClaimStep::What::kLend:
      book.mutable_lending(step.queue, step.dimension).lends = true;
      break;
    case ClaimStep::What::kNotIdle:
      book.mutable_lending(step.queue, step.dimension) = {};
      break;
  }
  if (Claims* rules = policy_->claims()) rules->on_lending_changed(step.queue, step.dimension);
}

void ClaimKeeper::reduce_claims(const ClaimStep& step) {
  const bool met = step.what == ClaimStep::What::kMeet;
  const std::string& path = state_.tree().node(step.queue).path;
  for (std::int64_t left = step.slots; left > 0;) {
    if (state_.claims().claims(step.queue, step.dimension).empty()) return;
    std::int64_t taken = 0;
    const Claim now = state_.mutable_claims().reduce(step.queue, step.dimension, left, met, taken);
    left -= taken;
    if (met) {
      emit(ClaimMet{now.id, path, step.dimension, taken, now.slots, now.deadline});
    } else {
      emit(ClaimDropped{now.id, path, step.dimension, taken, now.slots, now.deadline});
    }
    if (now.slots == 0) claim_over(now);
  }
}

// Slots on their way to the queue serve its other claims, if it has any.
void ClaimKeeper::claim_over(const Claim& claim) {
  const auto& others = state_.claims().claims(claim.queue, claim.dimension);
  if (others.empty()) {
    return parts_.holds.end_holds([&](const Hold& hold) { return hold.claim == claim.id; },
                                  KillRecord::Outcome::kWasted);
  }
  for (Hold& hold : state_.mutable_claims().mutable_holds()) {
    if (hold.claim == claim.id) hold.claim = others.front().id;
  }
}

// Under another policy no claims arise, and launches meet them.
void ClaimKeeper::meet_paused_claims() {
  const ClaimBook& book = state_.claims();
  claim_steps_.clear();
  for (const Dimension d : state_.space().dimensions()) {
    for (const auto& [deadline, queue, id] : book.by_deadline(d)) {
      if (book.claims(queue, d).front().id != id) continue;  // once a queue
      const std::int64_t running = state_.queue(queue).running[d];
      const std::int64_t seen = book.running_seen(queue, d);
      if (running == seen) continue;
      const std::int64_t launched = seen < 0 ? 0 : std::max<std::int64_t>(0, running - seen);
      const std::int64_t left = seen < 0 ? 0 : std::max<std::int64_t>(0, seen - running);
      const std::int64_t before = book.counted_free(queue, d);
      const std::int64_t counted = std::min(launched, before);
      if (left - counted != 0) {
        claim_steps_.push_back({ClaimStep::What::kCounted, queue, d, before + left - counted});
      }
      if (launched > counted) {
        claim_steps_.push_back({ClaimStep::What::kMeet, queue, d, launched - counted});
      }
      claim_steps_.push_back({ClaimStep::What::kSeen, queue, d, running});
    }
  }
  for (const ClaimStep& step : claim_steps_) enter(step);
}

// And what is wanted less is not owed either.
void ClaimKeeper::drop_paused_claims() {
  const ClaimBook& book = state_.claims();
  claim_steps_.clear();
  for (const Dimension d : state_.space().dimensions()) {
    for (const auto& [deadline, queue, id] : book.by_deadline(d)) {
      if (book.claims(queue, d).front().id != id) continue;  // once a queue
      const std::int64_t less = book.owed(queue, d) - shortfalls_->shortfall(queue, d);
      if (less > 0) claim_steps_.push_back({ClaimStep::What::kDrop, queue, d, less});
    }
  }
  for (const ClaimStep& step : claim_steps_) enter(step);
}

// Whose claims will stand still under the next policy: stored with the switch, for a restart cannot
// tell it from the settings.
std::string ClaimKeeper::claims_owner(const Policy& next) const {
  if (next.claims() != nullptr) return {};
  std::string ruling(policy_->name());
  std::string owner = policy_->claims() != nullptr ? ruling : claims_policy_;
  for (const PendingCommand& command : parts_.promises.pending()) {
    const auto* change = std::get_if<PolicyChanged>(&command.command);
    if (change == nullptr) continue;
    ruling = change->policy;
    owner = change->claims_of.empty() ? ruling : change->claims_of;
  }
  return owner;
}

// While another policy ruled, the claims' remaining time stood still.
void ClaimKeeper::resume_claims() {
  if (!state_.claims().paused_at()) return;
  state_.mutable_claims().resume(now_);
  claims_policy_.clear();
  shortfalls_.reset();
  for (const Dimension d : state_.space().dimensions()) {
    for (const auto& [deadline, queue, id] : state_.claims().by_deadline(d)) {
      const Claim& claim = *state_.claims().find(queue, d, id);
      emit(ClaimOpened{id, state_.tree().node(queue).path, d, claim.slots, claim.born, deadline,
                       true});
    }
  }
}

void ClaimKeeper::restore_claims(const Snapshot& snapshot) {
  state_.mutable_claims().skip_ids_below(snapshot.next_claim);
  for (const ClaimSnapshot& old : snapshot.claims) {
    const auto queue = state_.tree().find_path(old.queue);
    if (!queue || !state_.tree().leaf(*queue) || old.slots <= 0) continue;
    if (!state_.space().counts(old.dimension)) continue;
    const TimeMs deadline = later(old.born, reclaim_after_ms(state_.tree(), *queue, old.dimension));
    state_.mutable_claims().restore({.id = old.claim,
                                     .queue = *queue,
                                     .dimension = old.dimension,
                                     .slots = old.slots,
                                     .born = old.born,
                                     .deadline = deadline,
                                     .kills_from = deadline});
  }
}

void ClaimKeeper::pause_claims(const Snapshot& snapshot) {
  state_.mutable_claims().pause(snapshot.policy_since > 0 ? snapshot.policy_since : now_);
  claims_policy_ = snapshot.claims_policy;
  shortfalls_ = std::make_unique<Shortfalls>(state_);
}

void ClaimKeeper::policy_changed(const std::string& keeper_before) {
  const bool kept = !keeper_before.empty();
  if (policy_->claims() != nullptr) {
    if (!kept) resume_claims();
    return;
  }
  if (kept) {
    state_.mutable_claims().pause(now_);
    claims_policy_ = keeper_before;
  }
  if (state_.claims().paused_at()) shortfalls_ = std::make_unique<Shortfalls>(state_);
}

}  // namespace weir
