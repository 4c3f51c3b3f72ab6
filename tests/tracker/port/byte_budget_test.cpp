// The bounds of the memory that frames and requests take, to the byte.
#include "tracker/port/byte_budget.h"

#include <gtest/gtest.h>

#include <deque>

namespace weir {
namespace {

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

TEST(ByteBudget, AUserOfManyAddressesLeavesAQuarter) {
  ByteBudget budget(1024);
  const auto user = std::make_shared<ByteBudget::Account>(3);
  const auto fill = [&budget](BudgetShare& share) {
    while (share.resize(share.held() + 1)) {
    }
  };
  std::deque<BudgetShare> shares;
  for (int address = 0; address < 20; ++address)
    fill(shares.emplace_back(budget, std::make_shared<ByteBudget::Account>(), user));
  EXPECT_EQ(shares[0].held(), 512u);  // from one address he is bounded by that
  EXPECT_EQ(shares[1].held(), 256u);
  EXPECT_EQ(budget.held(*user), 768u);
  BudgetShare other(budget, std::make_shared<ByteBudget::Account>(),
                    std::make_shared<ByteBudget::Account>(3));
  fill(other);
  EXPECT_EQ(other.held(), 128u);
  shares.clear();
  EXPECT_EQ(budget.held(*user), 0u);
  EXPECT_EQ(budget.used(), 128u);
}

TEST(ByteBudget, WhatIsHeldCanTurnOutToBeAUsers) {
  ByteBudget budget(100);
  const auto address = std::make_shared<ByteBudget::Account>();
  const auto ann = std::make_shared<ByteBudget::Account>(3);
  const auto bob = std::make_shared<ByteBudget::Account>(3);
  BudgetShare share(budget, address);
  ASSERT_TRUE(share.resize(40));
  share.count_for(ann);
  EXPECT_EQ(budget.held(*ann), 40u);
  share.count_for(bob);
  EXPECT_EQ(budget.held(*ann), 0u);
  EXPECT_EQ(budget.held(*bob), 40u);
  EXPECT_EQ(budget.held(*address), 40u);
  ASSERT_TRUE(share.resize(10));
  EXPECT_EQ(budget.held(*bob), 10u);
}

}  // namespace
}  // namespace weir
