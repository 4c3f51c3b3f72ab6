// How many slots of a leaf one user may have: exact, pure, on numbers alone. Any thread.
#pragma once

#include <cstdint>

#include "jobqueue/model/settings.h"

namespace weir {

// The slots up to which one user may go in a leaf when his next task needs `need`.
struct UserLimitFacts {
  std::int64_t guaranteed = 0;  // GC of the leaf
  std::int64_t allocated = 0;   // AC of the leaf; 0 where it must not count (inside PEND)
  std::int64_t running = 0;     // RUN of the leaf
  std::int64_t need = 1;
  std::int64_t active_users = 1;
};
std::int64_t user_limit_slots(const UserLimit& limit, const UserLimitFacts& facts);
// Whether `has` and what he needs come to more than that. Without a division, where the limit has
// no factor.
bool is_over_user_limit(const UserLimit& limit, const UserLimitFacts& facts, std::int64_t has);

}  // namespace weir
