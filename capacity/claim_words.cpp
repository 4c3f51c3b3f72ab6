#include "capacity/claim_words.h"

namespace weir {

std::string when_it_kills(const Claim& claim, const std::string& serves,
                          CapacitySettings::Preemption preemption, TimeMs now) {
  switch (claim.block) {
    case ClaimBlock::kUnservable:
      return "is unservable: no tracker can " + serves;
    case ClaimBlock::kFragmented:
      return "is due, but what could be freed is on no tracker enough for one task";
    case ClaimBlock::kOverBudget:
      return "waits: those who borrow have lost their kill_budget of the last hour";
    case ClaimBlock::kPreemptionOff:
      return "is due, but capacity.preemption is off";
    case ClaimBlock::kLogOnly:
      return "is due, but capacity.preemption is log_only";
    case ClaimBlock::kRepeating:
      return "is due; its last kill brought no launch, it kills again in " +
             short_duration(claim.kills_from - now);
    case ClaimBlock::kNone:
      break;
  }
  if (claim.kills_from == kNever) return "kills nobody: its reclaim_after is never";
  if (preemption != CapacitySettings::Preemption::kOn) {
    const bool off = preemption == CapacitySettings::Preemption::kOff;
    const std::string due = claim.kills_from <= now
                                ? "is due"
                                : "is due in " + short_duration(claim.kills_from - now);
    return due + ", but kills nobody: capacity.preemption is " + (off ? "off" : "log_only");
  }
  if (claim.kills_from <= now) return "is due and kills now";
  return "kills in " + short_duration(claim.kills_from - now) + " at the latest";
}

}  // namespace weir
