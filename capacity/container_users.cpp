#include "capacity/container_users.h"

#include <algorithm>

#include "jobqueue/policy/user_limit.h"

namespace weir {

Amounts ContainerUsers::reserved_by_others(QueueId leaf, UserId user, JobId job) const {
  Amounts reserved;
  if (state_.reserved(leaf).all_zero()) return reserved;
  for (const Reservation& kept : state_.claims().reservations()) {
    if (kept.job == job || kept.queue != leaf || state_.job(kept.job).user != user) continue;
    const Resources& need = state_.job(kept.job).need(kept.kind);
    for (const Dimension d : state_.space().dimensions()) reserved[d] += need[d];
  }
  return reserved;
}

bool ContainerUsers::over_limit(QueueId leaf, UserId user, const Resources& task,
                                const Amounts& reserved) const {
  return limited(leaf) && where_over(leaf, user, task, reserved);
}

std::optional<ContainerUsers::Over> ContainerUsers::where_over(QueueId leaf, UserId user,
                                                               const Resources& task,
                                                               const Amounts& reserved) const {
  if (!limited(leaf)) return std::nullopt;
  for (const Dimension d : state_.space().dimensions()) {
    if (task[d] == 0 || has_enough(leaf, user, d, task[d] + reserved[d])) continue;
    const Part mine = part(leaf, user, d, task[d]);
    if (mine.has + reserved[d] + task[d] > mine.allowed) return Over{d, mine.has, mine.allowed};
  }
  return std::nullopt;
}

bool ContainerUsers::above_limit(QueueId leaf, UserId user) const {
  if (!limited(leaf)) return false;
  for (const Dimension d : state_.space().dimensions()) {
    const Part mine = part(leaf, user, d, 0);
    if (mine.has > mine.allowed) return true;
  }
  return false;
}

std::int64_t ContainerUsers::limit_shown(QueueId queue, Dimension d) const {
  if (!state_.tree().leaf(queue) || !limited(queue)) return -1;
  const auto& users = state_.queue(queue).users;
  const bool used = std::any_of(users.begin(), users.end(), [d](const auto& user) {
    return user.second.jobs_running > 0 || user.second.running[d] > 0;
  });
  return used ? part(queue, UserId{}, d, 0).allowed : -1;
}

// Users with a job in state RUNNING, or something of one that is over or waits again; these are
// few, and not for long.
std::int64_t ContainerUsers::active(const QueueState& leaf, Dimension d) {
  if (leaf.users_lingering == 0) return leaf.users_with_jobs;
  return std::count_if(leaf.users.begin(), leaf.users.end(), [d](const auto& user) {
    return user.second.jobs_running > 0 || user.second.running[d] > 0;
  });
}

// Quickly, for most: within an equal part of what the leaf has.
bool ContainerUsers::has_enough(QueueId leaf, UserId id, Dimension d, std::int64_t more) const {
  if (state_.tree().node(leaf).settings.user_limit.factor_millionths) return false;
  const QueueState& queue = state_.queue(leaf);
  const auto user = queue.users.find(id);
  const std::int64_t has = user == queue.users.end() ? 0 : user->second.running[d];
  const QueueLine& line = standing_.line(leaf, d);
  return (has + more) * std::max<std::int64_t>(active(queue, d), 1) <=
         std::max(line.guaranteed, line.allocated);
}

bool ContainerUsers::limited(QueueId leaf) const {
  const UserLimit& limit = state_.tree().node(leaf).settings.user_limit;
  return limit.minimum_hundredths < kWholeInHundredths || limit.factor_millionths;
}

// What the user runs in the leaf, and up to what he may with a task that takes so much.
ContainerUsers::Part ContainerUsers::part(QueueId leaf, UserId id, Dimension d,
                                          std::int64_t need) const {
  const QueueState& queue = state_.queue(leaf);
  const QueueLine& line = standing_.line(leaf, d);
  const auto user = queue.users.find(id);
  return {.has = user == queue.users.end() ? 0 : user->second.running[d],
          .allowed = user_limit_slots(state_.tree().node(leaf).settings.user_limit,
                                      {.guaranteed = line.guaranteed,
                                       .allocated = line.allocated,
                                       .running = line.facts.running,
                                       .need = need,
                                       .active_users = active(queue, d)})};
}

}  // namespace weir
