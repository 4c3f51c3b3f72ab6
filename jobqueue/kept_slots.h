// Whom a tracker's free slots are offered to before all others: those they are held for, once all
// victims are gone, and the wide tasks that have the tracker reserved. Every policy with holds or
// reservations begins with this; who the claimant is and what he may take are the policy's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "jobqueue/claims.h"
#include "jobqueue/cluster_state.h"
#include "jobqueue/policy.h"

namespace weir {

// Takes what stays kept off `free`, in slots. `take_held(hold, slots)`: the claimant's next task
// that fits into `slots`, whatever the order; if he launches none the hold ends, and the slots are
// anybody's. `may_take(reservation)`: whether its job may run a task at all by now; if so
// `take_reserved(reservation)` says which.
template <class TakeHeld, class MayTake, class TakeReserved>
std::optional<Choice> choose_kept(const ClusterState& state, const Offer& offer, TaskKind kind,
                                  std::int64_t& free, TakeHeld take_held, MayTake may_take,
                                  TakeReserved take_reserved) {
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
  for (const Reservation& reservation : state.claims().reservations()) {
    if (reservation.tracker != offer.tracker || reservation.kind != kind) continue;
    if (may_take(reservation)) {
      if (free < reservation.slots) {
        free = 0;  // freed slots wait here until there are enough
        continue;
      }
      if (std::optional<Choice> choice = take_reserved(reservation)) return choice;
    }
    return Choice{.task = {reservation.job, kind, 0}, .what = Choice::What::kReleaseReservation};
  }
  return std::nullopt;
}

}  // namespace weir
