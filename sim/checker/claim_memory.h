// What the checker remembers of claims from step to step: what the last step left of each leaf's,
// and which free slots the leaf's own tasks have left and it may fill again. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/claims.h"
#include "jobqueue/model/ids.h"

namespace weir::check {

struct ClaimAccount {
  std::vector<Claim> claims;  // the earliest first
  std::int64_t kept = 0;      // min(GC, DEM)
  std::int64_t running = 0;   // RUN
  std::int64_t covered = 0;   // shortfall that is not claimed: free slots were dealt for it
  // Slots that tasks of the leaf have left since they last were in RUN, and that are free still.
  std::map<TrackerId, std::int64_t> left_free;
  // Likewise, wherever they are, and those of tasks that had been ordered to die.
  std::int64_t may_refill = 0;

  std::int64_t owed() const {
    std::int64_t slots = 0;
    for (const Claim& claim : claims) slots += claim.slots;
    return slots;
  }
};

struct ClaimMemory {
  std::map<std::pair<std::string, TaskKind>, ClaimAccount> accounts;  // by the leaf's path
  std::set<AttemptKey> out_of_run;  // live attempts that are to die, or copy without slots
};

}  // namespace weir::check
