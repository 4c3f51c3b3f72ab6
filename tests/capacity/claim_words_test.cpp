#include "capacity/claim_words.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ClaimWords, AClaimSaysWhenItKillsAndThatItDoesNot) {
  const Claim claim{.deadline = 30'000, .kills_from = 30'000};
  const auto says = [&claim](CapacitySettings::Preemption preemption, TimeMs now) {
    return when_it_kills(claim, "free 2 map slots", preemption, now);
  };
  EXPECT_EQ(says(CapacitySettings::Preemption::kOn, 10'000), "kills in 20s at the latest");
  EXPECT_EQ(says(CapacitySettings::Preemption::kOn, 30'000), "is due and kills now");
  EXPECT_EQ(says(CapacitySettings::Preemption::kOff, 10'000),
            "is due in 20s, but kills nobody: capacity.preemption is off");
  EXPECT_EQ(says(CapacitySettings::Preemption::kLogOnly, 30'000),
            "is due, but kills nobody: capacity.preemption is log_only");
}

}  // namespace
}  // namespace weir
