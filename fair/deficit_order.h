// The order of `algorithm: deficit` in one class (fair.md, "Choosing"): all jobs in one line, those
// that run less than they are guaranteed first, then the highest deficit first; ties by submit time
// and name. Derived state, on the engine's thread.
#pragma once

#include <cstdint>

#include "fair/ranked_set.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/share.h"

namespace weir {

// Deficits in millionths of a slot-millisecond, so that what is exactly the same ranks the same:
// what roundings of shares add up to in days is far less. No boundary is near a round number.
constexpr Int128 to_rank(Int128 deficit) {
  constexpr Int128 kPart = kFineSlot / 1'000'000;
  constexpr Int128 kOffset = 381'966'011'250;
  const Int128 shifted = deficit + kOffset;
  return shifted >= 0 ? shifted / kPart : -((kPart - 1 - shifted) / kPart);
}

struct DeficitKey {
  bool guaranteed = false;  // runs what it is guaranteed
  Int128 deficit = 0;       // rank
  std::uint64_t tie = 0;    // sorts as (submit time, name, id)
  JobId job;
  friend bool operator==(const DeficitKey&, const DeficitKey&) = default;
  friend bool operator<(const DeficitKey& a, const DeficitKey& b) {
    if (a.guaranteed != b.guaranteed) return !a.guaranteed;
    if (a.deficit != b.deficit) return a.deficit > b.deficit;
    return a.tie < b.tie;
  }
};

using DeficitOrder = RankedSet<DeficitKey>;

}  // namespace weir
