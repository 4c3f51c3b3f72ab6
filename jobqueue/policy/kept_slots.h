// Whom a tracker's free slots are offered to before all others: those they are held for, once all
// victims are gone, and the wide tasks that have the tracker reserved. Every policy with holds or
// reservations begins with this; who the claimant is and what he may take are the policy's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/policy/policy.h"

namespace weir {

// Takes what stays held off `free`, in slots. `take_held(hold, slots)`: the claimant's next task
// that fits into `slots`, whatever the order; if he launches none the hold ends, and the slots are
// anybody's.
template <class TakeHeld>
std::optional<Choice> choose_held(const ClusterState& state, const Offer& offer, TaskKind kind,
                                  std::int64_t& free, TakeHeld take_held) {
  for (const Hold& hold : state.claims().holds()) {
    if (hold.tracker != offer.tracker || hold.kind != kind) continue;
    if (!hold.complete()) {
      free -= std::min(free, hold.kept());  // its other victims are still dying
      continue;
    }
    std::optional<Choice> choice = take_held(hold, std::min(free, hold.slots));
    if (!choice ||
        (choice->what != Choice::What::kLaunch && choice->what != Choice::What::kCompute)) {
      choice = Choice{.what = Choice::What::kEndHold};
    }
    choice->hold = hold.id;
    return choice;
  }
  return std::nullopt;
}

// What the tracker is reserved for; null: for nothing of the kind.
inline const Reservation* reservation_on(const ClusterState& state, TrackerId tracker,
                                         TaskKind kind) {
  for (const Reservation& kept : state.claims().reservations()) {
    if (kept.tracker == tracker && kept.kind == kind) return &kept;
  }
  return nullptr;
}

// The reserved tracker's next task, once enough is free; nothing: freed slots wait here. `lasts`:
// its job may still run there. `take()`: which task, if there is one.
template <class Take>
std::optional<Choice> choose_reserved(const Reservation& kept, std::int64_t free, bool lasts,
                                      Take take) {
  if (lasts) {
    if (free < kept.slots) return std::nullopt;
    if (std::optional<Choice> choice = take()) return choice;
  }
  return Choice{.task = {kept.job, kept.kind, 0}, .what = Choice::What::kReleaseReservation};
}

// Both, where nothing comes between. `may_take(reservation)`: whether its job may run a task at all
// by now; if so `take_reserved(reservation)` says which.
template <class TakeHeld, class MayTake, class TakeReserved>
std::optional<Choice> choose_kept(const ClusterState& state, const Offer& offer, TaskKind kind,
                                  std::int64_t& free, TakeHeld take_held, MayTake may_take,
                                  TakeReserved take_reserved) {
  if (auto choice = choose_held(state, offer, kind, free, take_held)) return choice;
  const Reservation* kept = reservation_on(state, offer.tracker, kind);
  if (kept == nullptr) return std::nullopt;
  auto choice = choose_reserved(*kept, free, may_take(*kept), [&] { return take_reserved(*kept); });
  if (!choice) free = 0;
  return choice;
}

}  // namespace weir
