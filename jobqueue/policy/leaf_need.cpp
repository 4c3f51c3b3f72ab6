#include "jobqueue/policy/leaf_need.h"

#include <algorithm>

#include "jobqueue/policy/user_limit.h"

namespace weir {

LeafJobs::LimitOf LeafNeed::hard_limit() const {
  if (user_limit.mode != UserLimit::Mode::kHard) return {};
  return [this](std::int64_t width) {
    return user_limit_slots(user_limit, {.guaranteed = guaranteed,
                                         .running = running,
                                         .need = width,
                                         .active_users = jobs.active_users()});
  };
}

std::int64_t LeafNeed::pending() const {
  std::optional<std::int64_t> room;
  if (has_maximum) room = maximum - running;
  return jobs.pending_slots(hard_limit(), room);
}

std::int64_t LeafNeed::dying_slots() const {
  std::int64_t slots = 0;
  for (const auto& [width, tasks] : dying) slots += width * tasks;
  return slots;
}

std::int64_t LeafNeed::whole_tasks(std::int64_t gap) const {
  const bool narrow = dying.empty() || dying.rbegin()->first == 1;
  if (gap <= 0 || (jobs.wide_jobs() == 0 && narrow)) return std::max<std::int64_t>(gap, 0);
  std::int64_t whole = jobs.pending_slots(hard_limit(), gap);
  for (auto wanted = dying.rbegin(); wanted != dying.rend(); ++wanted) {
    const auto [width, tasks] = *wanted;
    whole += width * std::min(tasks, (gap - whole) / width);
  }
  return whole;
}

}  // namespace weir
