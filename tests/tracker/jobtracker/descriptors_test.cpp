// How many connections a process can afford.
#include "tracker/jobtracker/descriptors.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Descriptors, LeaveRoomForOtherFiles) {
  EXPECT_EQ(connections_within(1024, 10'000), 298);
  EXPECT_EQ(connections_within(1024, 298), 298);
  EXPECT_EQ(connections_within(1024, 100), 100);
  EXPECT_EQ(connections_within(30'128, 10'000), 10'000);
  EXPECT_EQ(connections_within(64, 10'000), 1);
  EXPECT_EQ(connections_within(~std::uint64_t{0}, 10'000), 10'000);
}

}  // namespace
}  // namespace weir
