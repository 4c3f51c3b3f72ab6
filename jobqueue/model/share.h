// Shares of slots as fixed-point numbers: billionths of a slot in 64 bits, exact to a billionth for
// 9 billion slots. The same on every machine, which floating point is not. Comparisons allow for
// the last digits (kShareTolerance), so that a share of 2 dealt as 2.000000001 or 1.999999999 is 2
// wherever something is decided by it (fair.md, "Readings"). What is summed up over time is finer
// (FineShare): there last digits would add up.
#pragma once

#include <cstdint>

namespace weir {

__extension__ typedef __int128 Int128;

using Share = std::int64_t;  // billionths of a slot
inline constexpr Share kWholeSlot = 1'000'000'000;
inline constexpr Share kShareTolerance = 1'000;  // a millionth of a slot

// A share as it is dealt: rounded to the nearest 10^-18 of a slot.
using FineShare = Int128;
inline constexpr FineShare kFinePart = 1'000'000'000;  // of a billionth
inline constexpr FineShare kFineSlot = kFinePart * kWholeSlot;
constexpr Share coarse(FineShare share) {
  return static_cast<Share>(share / kFinePart);
}

constexpr Share share_of_slots(std::int64_t slots) {
  return slots * kWholeSlot;
}
// The same of any amount: what is more than a share can say is the most that one can.
inline constexpr std::int64_t kMostSlots = INT64_MAX / kWholeSlot;
constexpr Share share_at_most(std::int64_t slots) {
  return share_of_slots(slots < kMostSlots ? slots : kMostSlots);
}
// As it is shown: thousandths, half up.
constexpr std::int64_t thousandths(Share share) {
  return (share + kWholeSlot / 2000) / (kWholeSlot / 1000);
}
// Whole slots in a share.
constexpr std::int64_t whole_slots(Share share) {
  return (share + kShareTolerance) / kWholeSlot;
}
// slots >= share, slots < share.
constexpr bool reaches(std::int64_t slots, Share share) {
  return share_of_slots(slots) + kShareTolerance >= share;
}
// slots > share.
constexpr bool exceeds(std::int64_t slots, Share share) {
  return share_of_slots(slots) - kShareTolerance > share;
}
// slots / share > others / their share; no share is the least that there is.
constexpr bool exceeds_in_proportion(std::int64_t slots, Share share, std::int64_t others,
                                     Share their_share) {
  const Int128 left = Int128(slots) * their_share;
  const Int128 right = Int128(others) * share;
  return left - right > Int128(slots + others) * kShareTolerance;
}

}  // namespace weir
