// Numbers of countable resources: the lowest that are free, none twice.
#include "jobqueue/model/units.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

AttemptKey attempt(std::uint32_t index) {
  return {{JobId(1), group_kind(0), index}, 0};
}

TEST(UnitsInUse, TheLowestThatAreFreeAreGranted) {
  UnitsInUse units;
  EXPECT_EQ(units.grant(attempt(0), {{"gpu", 2}, {"fpga", 1}}),
            (Units{{"gpu", {0, 1}}, {"fpga", {0}}}));
  EXPECT_EQ(units.grant(attempt(1), {{"gpu", 1}, {"fpga", 0}}), (Units{{"gpu", {2}}}));
  units.release(attempt(0));
  EXPECT_EQ(units.of(attempt(0)), nullptr);
  EXPECT_EQ(units.grant(attempt(2), {{"gpu", 3}}), (Units{{"gpu", {0, 1, 3}}}));
}

TEST(UnitsInUse, WhatRunsAlreadyKeepsItsNumbers) {
  UnitsInUse units;
  units.adopt(attempt(0), {{"gpu", {1}}});
  units.adopt(attempt(1), {});
  EXPECT_EQ(units.of(attempt(1)), nullptr);
  EXPECT_EQ(units.grant(attempt(2), {{"gpu", 2}}), (Units{{"gpu", {0, 2}}}));
}

}  // namespace
}  // namespace weir
