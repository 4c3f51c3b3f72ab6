// The fair policy's share computation against the checker's, which is written by the definition in
// rationals of any size: two codes that share nothing.
#include <gtest/gtest.h>

#include "fair/shares.h"
#include "lab/kit/dice.h"
#include "sim/checker/pools.h"

namespace weir::test {
namespace {

TEST(ShareModel, ExactToABillionthForRandomClaimants) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    const std::int64_t most = dice.chance(20) ? 40'000'000 : 40;
    std::vector<ShareClaimant> claimants;
    std::vector<check::Claimant> plain;
    for (std::int64_t i = dice.between(1, 9); i > 0; --i) {
      ShareClaimant c{.demand = dice.below(most)};
      if (dice.chance(50)) c.minimum = dice.below(most / 2);
      if (dice.chance(30)) c.maximum = c.minimum + dice.below(most / 2);
      c.weight = dice.chance(30) ? 1'000'000 : dice.between(1, 5'000'000);
      claimants.push_back(c);
      plain.push_back(
          {std::min(c.demand, c.maximum), c.minimum, check::Rational(c.weight, 1'000'000)});
    }
    const Share total = dice.below(share_of_slots(3 * most));
    const auto fast = fair_shares(total, claimants);
    const auto exact = check::shares_of(check::Rational(total, kWholeSlot), plain);
    for (std::size_t i = 0; i < fast.size(); ++i) {
      const check::Rational off = check::Rational(fast[i]) - exact[i] * kWholeSlot;
      ASSERT_TRUE(off <= 1 && off >= -1)
          << "seed " << seed << ", claimant " << i << " of " << fast.size() << ": " << fast[i]
          << " is not " << (exact[i] * kWholeSlot).convert_to<double>();
    }
  }
}

}  // namespace
}  // namespace weir::test
