#include "jobqueue/policy/user_limit.h"

#include <algorithm>

#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/share.h"

namespace weir {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t capacity_of(const UserLimitFacts& facts) {
  return std::max({facts.guaranteed, facts.allocated, facts.running + facts.need});
}

}  // namespace

std::int64_t user_limit_slots(const UserLimit& limit, const UserLimitFacts& facts) {
  const std::int64_t capacity = capacity_of(facts);
  const std::int64_t equal_part = ceil_div(capacity, std::max<std::int64_t>(facts.active_users, 1));
  const std::int64_t minimum = ceil_div(limit.minimum_hundredths * capacity, kWholeInHundredths);
  std::int64_t slots = std::max(equal_part, minimum);
  if (limit.factor_millionths) {
    const Int128 factor =
        Int128(*limit.factor_millionths) * std::max<std::int64_t>(facts.guaranteed, 1) / 1000000;
    if (factor < slots) slots = static_cast<std::int64_t>(factor);
  }
  return std::max(slots, facts.need);  // one task is always allowed
}

// A quotient that is rounded up is n at least if more than n - 1 times the divisor is divided.
bool is_over_user_limit(const UserLimit& limit, const UserLimitFacts& facts, std::int64_t has) {
  if (limit.factor_millionths) return has + facts.need > user_limit_slots(limit, facts);
  const std::int64_t capacity = capacity_of(facts);
  const std::int64_t less = has + facts.need - 1;
  return less * std::max<std::int64_t>(facts.active_users, 1) >= capacity &&
         less * kWholeInHundredths >= limit.minimum_hundredths * capacity && has > 0;
}

}  // namespace weir
