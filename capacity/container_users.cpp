#include "capacity/container_users.h"

#include <algorithm>
#include <vector>

#include "jobqueue/policy/user_limit.h"

namespace weir {
namespace {

bool limits(const UserLimit& limit) {
  return limit.minimum_hundredths < kWholeInHundredths || limit.factor_millionths;
}

// Users with a job in state RUNNING, or something of one that is over or waits again; these are
// few, and not for long.
std::int64_t active(const QueueState& leaf, Dimension d) {
  if (leaf.users_lingering == 0) return leaf.users_with_jobs;
  return std::count_if(leaf.users.begin(), leaf.users.end(), [d](const auto& user) {
    return user.second.jobs_running > 0 || user.second.running[d] > 0;
  });
}

const UserInQueue* find(const QueueState& leaf, UserId id) {
  const auto user = leaf.users.find(id);
  return user == leaf.users.end() ? nullptr : &user->second;
}
std::int64_t runs(const UserInQueue* user, Dimension d) {
  return user == nullptr ? 0 : user->running[d];
}
std::int64_t runs(const QueueState& leaf, UserId id, Dimension d) {
  return runs(find(leaf, id), d);
}

}  // namespace

bool has_hard_limit(const ClusterState& state, QueueId leaf) {
  const UserLimit& limit = state.tree().node(leaf).settings.user_limit;
  return limit.mode == UserLimit::Mode::kHard && limits(limit);
}

std::int64_t tasks_within_limit(const ClusterState& state, QueueId leaf, const Amounts& guaranteed,
                                UserId user, const Resources& task, const Amounts& taken) {
  const QueueState& queue = state.queue(leaf);
  std::int64_t tasks = INT64_MAX;
  for (const Dimension d : state.space().dimensions()) {
    if (task[d] == 0) continue;
    const std::int64_t limit =
        user_limit_slots(state.tree().node(leaf).settings.user_limit,
                         {.guaranteed = guaranteed[d],
                          .running = queue.running[d],
                          .need = task[d],
                          .active_users = active(queue, d)});
    const std::int64_t left = limit - runs(queue, user, d) - taken[d];
    tasks = std::min(tasks, std::max<std::int64_t>(0, left) / task[d]);
  }
  return tasks;
}

Amounts pending_within_limits(const ClusterState& state, QueueId leaf, const Amounts& guaranteed,
                              const ContainerItems& items) {
  std::vector<const ContainerItems::Bucket*> buckets;
  for (const ContainerItems::Bucket& bucket : items.buckets())
    if (bucket.tasks > 0) buckets.push_back(&bucket);
  std::sort(buckets.begin(), buckets.end(), [](const auto* a, const auto* b) {
    if (a->user != b->user) return a->user < b->user;
    return b->size->need.amount < a->size->need.amount;
  });
  Amounts pending, taken;
  UserId user;
  for (const ContainerItems::Bucket* bucket : buckets) {
    if (bucket->user != user) taken = {};
    user = bucket->user;
    const Resources& need = bucket->size->need;
    const std::int64_t tasks = std::min(
        bucket->tasks, tasks_within_limit(state, leaf, guaranteed, user, need, taken));
    for (const Dimension d : state.space().dimensions()) {
      taken[d] += tasks * need[d];
      pending[d] += tasks * need[d];
    }
  }
  return pending;
}

Amounts ContainerUsers::reserved_by_others(QueueId leaf, UserId user, JobId job) const {
  Amounts reserved;
  if (state_.reserved(leaf).all_zero()) return reserved;
  state_.claims().reservations().each_in(leaf, [&](const Reservation& kept) {
    if (kept.job == job || state_.job(kept.job).user != user) return;
    for (const Dimension d : state_.space().dimensions()) reserved[d] += kept.size->need[d];
  });
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
  const UserInQueue* there = find(state_.queue(leaf), user);
  for (const Dimension d : state_.space().dimensions()) {
    if (task[d] == 0 || has_enough(leaf, d, runs(there, d) + reserved[d], task[d])) continue;
    const Part mine = part(leaf, there, d, task[d]);
    if (mine.has + reserved[d] + task[d] > mine.allowed) return Over{d, mine.has, mine.allowed};
  }
  return std::nullopt;
}

bool ContainerUsers::above_limit(QueueId leaf, UserId user) const {
  if (!limited(leaf)) return false;
  for (const Dimension d : state_.space().dimensions()) {
    const Part mine = part(leaf, find(state_.queue(leaf), user), d, 0);
    if (mine.has > mine.allowed) return true;
  }
  return false;
}

bool ContainerUsers::gang_within(const Job& job) const {
  return standing_.gang_within(job) &&
         !(has_hard_limit(state_, job.queue) &&
           over_limit(job.queue, job.user, job.need(job.gang_kind())));
}

std::int64_t ContainerUsers::limit_shown(QueueId queue, Dimension d) const {
  if (!state_.tree().leaf(queue) || !limited(queue)) return -1;
  const auto& users = state_.queue(queue).users;
  const bool used = std::any_of(users.begin(), users.end(), [d](const auto& user) {
    return user.second.jobs_running > 0 || user.second.running[d] > 0;
  });
  return used ? part(queue, nullptr, d, 0).allowed : -1;
}

// Quickly, for most: with one more task within an equal part of what the leaf has.
bool ContainerUsers::has_enough(QueueId leaf, Dimension d, std::int64_t has,
                                std::int64_t need) const {
  if (state_.tree().node(leaf).settings.user_limit.factor_millionths) return false;
  const std::int64_t users = std::max<std::int64_t>(active(state_.queue(leaf), d), 1);
  const QueueLine& line = standing_.line(leaf, d);
  return (has + need) * users <=
         std::max({line.guaranteed, line.allocated, line.facts.running + need});
}

bool ContainerUsers::limited(QueueId leaf) const {
  return limits(state_.tree().node(leaf).settings.user_limit);
}

// What the user runs in the leaf, and up to what he may with a task that takes so much.
ContainerUsers::Part ContainerUsers::part(QueueId leaf, const UserInQueue* user, Dimension d,
                                          std::int64_t need) const {
  const QueueState& queue = state_.queue(leaf);
  const QueueLine& line = standing_.line(leaf, d);
  return {.has = runs(user, d),
          .allowed = user_limit_slots(state_.tree().node(leaf).settings.user_limit,
                                      {.guaranteed = line.guaranteed,
                                       .allocated = line.allocated,
                                       .running = line.facts.running,
                                       .need = need,
                                       .active_users = active(queue, d)})};
}

}  // namespace weir
