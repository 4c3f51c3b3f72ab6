// What a tracker on offer is for tasks of each size that is wanted: whether they start there, could
// have it reserved, or find room elsewhere; and which jobs would move their reservations there. In
// bits, so that trackers that are alike for all sizes are known to be (head_views.h). Pure
// questions over the state, on the engine's thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "jobqueue/model/size_table.h"
#include "jobqueue/policy/container_reservations.h"

namespace weir {

// What a tracker is for tasks of each size, a bit for each of the first 63 sizes; all others share
// the last one, and what they could do is asked at each offer.
struct SizeMasks {
  std::uint64_t starts = 0;     // they fit there now
  std::uint64_t reserves = 0;   // they do not, and may have it reserved
  std::uint64_t picky = 0;      // as these, for tasks that not every tracker would do for
  std::uint64_t elsewhere = 0;  // they do not, and fit on another
  friend bool operator==(const SizeMasks&, const SizeMasks&) = default;
};
inline constexpr std::uint64_t kFurtherSizes = std::uint64_t{1} << 63;
inline std::uint64_t mask_of(const Size& size) {
  if (size.gang) return kFurtherSizes;  // what there is on one tracker says little of it
  return std::uint64_t{1} << std::min<std::uint32_t>(size.number, 63);
}

template <class Use>
void each_size(std::uint64_t mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<std::size_t>(std::countr_zero(mask)));
}

// The sizes of all that could start, and of them those of picky tasks.
struct WantedSizes {
  std::uint64_t all = 0, picky = 0;
};
struct SizesHere {
  SizeMasks masks;
  std::uint64_t could_reserve = 0;  // `reserves` where no more trackers may be reserved
};
// `used`: there, with what is held for claimants. `reserve`: null if nobody may. `size_of`: by
// number. `bounded`: somebody's maximum makes it matter what finds room elsewhere.
SizesHere sizes_here(const ClusterState& state, const TrackerState& tracker, const Resources& used,
                     const ReserveHere* reserve, const WantedSizes& wanted,
                     const std::vector<const Size*>& size_of, bool bounded);

// A job with a reservation.
struct Reserver {
  QueueId leaf;
  JobId job;
  TaskKind kind = TaskKind::kMap;
  const Size* size = nullptr;
  TrackerId from;
  bool picky = false;
  Lack least;
};
Reserver reserver_of(const ClusterState& state, const Reservation& kept);
bool would_move_here(const Reserver& kept, const SizesHere& here, const ReserveHere& reserve);

}  // namespace weir
