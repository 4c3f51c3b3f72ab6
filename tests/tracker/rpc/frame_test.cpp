// The bounds of a frame and of the memory that frames take, to the byte.
#include "tracker/rpc/frame.h"

#include <gtest/gtest.h>

#include "tracker/rpc/byte_budget.h"

namespace weir {
namespace {

using Kind = FrameHead::Kind;

Kind kind_of(std::uint32_t length, std::uint32_t most) {
  char header[kFrameHeaderBytes];
  write_big_endian_32(length, header);
  return inspect_frame({header, sizeof header}, most).kind;
}

TEST(Frame, MayHaveItsMostBytesAndNotOneMore) {
  EXPECT_EQ(kind_of(1000, 1000), Kind::kIncomplete);
  EXPECT_EQ(kind_of(1001, 1000), Kind::kOversize);
}

// Version, name's length, sequence number, the end of the arguments: 13 bytes.
TEST(Frame, TheShortestMessageIsOne) {
  EXPECT_EQ(kind_of(13, 1000), Kind::kIncomplete);
  EXPECT_EQ(kind_of(12, 1000), Kind::kMalformed);
}

TEST(ByteBudget, AnAccountHasNoMoreThanItLeavesForOthers) {
  ByteBudget budget(12);
  const auto account = [] { return std::make_shared<ByteBudget::Account>(); };
  BudgetShare first(budget, account());
  EXPECT_FALSE(first.resize(7));
  EXPECT_TRUE(first.resize(6));
  const auto second = account();
  BudgetShare one(budget, second), two(budget, second);
  EXPECT_TRUE(one.resize(2));
  EXPECT_TRUE(two.resize(1));
  EXPECT_FALSE(one.resize(3));  // both shares are of one account
  EXPECT_EQ(budget.held(*second), 3u);
  EXPECT_TRUE(two.resize(0));
  EXPECT_TRUE(one.resize(3));
  BudgetShare third(budget, account());
  EXPECT_TRUE(third.resize(1));
  EXPECT_TRUE(first.resize(1));
  EXPECT_EQ(budget.used(), 5u);
  EXPECT_TRUE(third.resize(4));
}

}  // namespace
}  // namespace weir
