#include "jobqueue/policy/size_masks.h"

namespace weir {

SizesHere sizes_here(const ClusterState& state, const TrackerState& tracker, const Resources& used,
                     const ReserveHere* reserve, const WantedSizes& wanted,
                     const std::vector<const Size*>& size_of, bool bounded) {
  SizesHere here;
  SizeMasks& masks = here.masks;
  const bool may_reserve = reserve != nullptr && tracker.keeps == 0;
  const bool full = may_reserve && reserve->is_full();
  each_size(wanted.all & ~kFurtherSizes, [&](std::size_t number) {
    const Resources& need = size_of[number]->need;
    const std::uint64_t mask = std::uint64_t{1} << number;
    if (state.fits_in(need, tracker, used)) {
      masks.starts |= mask;
      return;
    }
    if (may_reserve && reserve->could(need, false)) here.could_reserve |= mask;
    if (may_reserve && !full && (wanted.picky & mask) != 0 && reserve->could(need, true))
      masks.picky |= mask;
    if (bounded && state.trackers_with_room(need) > 0) masks.elsewhere |= mask;
  });
  if (!full) masks.reserves = here.could_reserve;
  masks.starts |= wanted.all & kFurtherSizes;
  return here;
}

Reserver reserver_of(const ClusterState& state, const Reservation& kept) {
  const Job& job = state.job(kept.job);
  return {kept.queue, kept.job, kept.kind, kept.size, kept.tracker,
          job.picky(kept.kind), kept.least};
}

bool would_move_here(const Reserver& kept, const SizesHere& here, const ReserveHere& reserve) {
  const std::uint64_t mask = mask_of(*kept.size);
  bool could = (mask & here.could_reserve) != 0;
  const bool particular = kept.picky || mask == kFurtherSizes;
  if (!could && particular && (mask & here.masks.starts & ~kFurtherSizes) == 0)
    could = reserve.could(kept.size->need, kept.picky);
  return could && reserve.moves_here(*kept.size, kept.from, kept.least);
}

}  // namespace weir
