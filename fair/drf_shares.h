// Dominant-resource fairness on numbers alone (containers.md, "Fair"; after Ghodsi et al.,
// "Dominant Resource Fairness", NSDI 2011, with weights, minimums, maximums and trees added).
//
// With D the demand of a claimant, T the total, w its weight, M and X its minimum and maximum in
// the dimensions where it has one, its share is S = f * D with f = clamp(x * w / max(D/T), lo, hi):
// hi is the least of 1 and X/D, lo the least of min(M, D)/D. Where the sum of lo * D exceeds what
// there is, the lo of all who want of that dimension are scaled down to it, each by its smallest
// factor. x rises from 0; when a dimension is full, all who want of it stop where they are. A
// dimension of which there is none at all is left out.
//
// Shapes: every inner vector has an entry for each dimension, outer ones one for each claimant, in
// the order of the input. Units: demands, minimums, maximums and totals are whole, what is divided
// and the shares are billionths. Exact to the last billionth; equal claimants get equal shares, and
// the order of the input does not matter. O(n * (log n + dimensions)). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "jobqueue/model/share.h"

namespace weir {

inline constexpr std::size_t kMostDimensions = 8;
inline constexpr std::int64_t kMostOfDimension = 4'000'000'000;  // what a Share holds, with room

// Demands of all siblings add up to less than 2^62 in each dimension.
struct DrfClaimant {
  std::vector<std::int64_t> demand;
  std::vector<std::optional<std::int64_t>> minimum, maximum;  // none promises, limits nothing
  std::int64_t weight = 1;  // in any unit, the same for all; 0 takes its minimum alone
};

// What rises until it is full: all dimensions (`drf`), or the first alone (`fair`: memory), where
// of the others comes along what f gives, up to all there is.
enum class Contested : std::uint8_t { kAll, kFirst };

struct DrfShares {
  std::vector<std::vector<Share>> of;  // of[claimant][dimension]
  std::vector<bool> full;              // by dimension: somebody wants of it, and all is given out
  std::vector<Int128> sum;             // by dimension, of all claimants
};

// The claimants' shares of `divide`, which is `total` at the top and less below.
DrfShares drf_shares(const std::vector<std::int64_t>& total, const std::vector<Share>& divide,
                     const std::vector<DrfClaimant>& claimants, Contested contested);

// What the children of a claimant divide: its part of what its family divided, in proportion to the
// shares, so its share where that dimension is full.
std::vector<Share> divided_below(const DrfShares& shares, const std::vector<Share>& divide,
                                 std::size_t claimant);

// What a claimant's parent wants because of it: hi * D, rounded up.
std::vector<std::int64_t> wanted_above(const std::vector<std::int64_t>& total,
                                       const DrfClaimant& claimant);

}  // namespace weir
