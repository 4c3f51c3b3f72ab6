// The fair share computation (fair.md, "Pools and shares"), on numbers alone. With d the demand, m
// the minimum share, w the weight and x the maximum of a claimant it finds the ratio r for which
// the shares s = min(d, x, max(r * w, m)) add up to what there is, or to all that is wanted.
// Minimum shares that add up to more than there is are all scaled down in proportion, and nothing
// else is given. Exact: 128-bit products, every share rounded to 10^-18 of a slot, so that equal
// claimants get equal shares and the order of the input does not matter. O(n), mostly. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/model/share.h"

namespace weir {

struct ShareClaimant {
  std::int64_t demand = 0;           // slots
  std::int64_t minimum = 0;          // slots
  std::int64_t weight = 1;           // in any unit, the same for all; 0 takes its minimum alone
  std::int64_t maximum = INT64_MAX;  // slots
};

// The claimants' shares of `total`, in the order of the input. Up to 4 million slots times a
// thousand (2^56 billionths) and a million claimants.
std::vector<FineShare> fine_shares(FineShare total, const std::vector<ShareClaimant>& claimants);
// The same, rounded down to billionths: short of the total by less than one for each claimant.
std::vector<Share> fair_shares(Share total, const std::vector<ShareClaimant>& claimants);

// With up to three decimals, "2.333".
std::string share_text(Share share);

}  // namespace weir
