#include "jobqueue/policy/user_limit.h"

#include <gtest/gtest.h>

#include <random>

namespace weir {
namespace {

class UserLimitRandom : public testing::Test {
 protected:
  std::int64_t upto(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }

 private:
  std::mt19937_64 random_{1};
};

TEST_F(UserLimitRandom, WhoIsOverItHasMoreThanIsAllowed) {
  int over = 0, at_it = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t scale = i % 3 == 0 ? 8 : i % 3 == 1 ? 1'000 : 1'000'000'000'000;
    UserLimit limit;
    limit.minimum_hundredths = 1 + upto(9'999);
    if (upto(9) == 0) limit.factor_millionths = 1 + upto(3'000'000);
    const UserLimitFacts facts{.guaranteed = upto(scale),
                               .allocated = upto(scale),
                               .running = upto(scale),
                               .need = 1 + upto(scale / 4),
                               .active_users = upto(6)};
    const std::int64_t allowed = user_limit_slots(limit, facts);
    // At it, one more, one less, and anything.
    const std::int64_t just = allowed - facts.need;
    for (const std::int64_t has : {just - 1, just, just + 1, upto(scale)}) {
      if (has < 0) continue;
      ASSERT_EQ(is_over_user_limit(limit, facts, has), has + facts.need > allowed)
          << "has " << has << ", needs " << facts.need << ", allowed " << allowed;
      over += has + facts.need > allowed ? 1 : 0;
      at_it += has + facts.need == allowed ? 1 : 0;
    }
  }
  EXPECT_GT(over, 100'000);
  EXPECT_GT(at_it, 100'000);
}

}  // namespace
}  // namespace weir
