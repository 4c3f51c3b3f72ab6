#include "capacity/leaf_jobs.h"

#include "jobqueue/check.h"

namespace weir {

template <class Change>
void LeafJobs::change_user(UserId id, Change change) {
  const auto found = users_.try_emplace(id).first;
  User& user = found->second;
  const bool before = user.active();
  change(user);
  WEIR_CHECK(user.running >= 0 && user.tasks >= 0, "a user's counts are never negative");
  active_users_ += static_cast<int>(user.active()) - static_cast<int>(before);
  if (!user.active()) users_.erase(found);
}

void LeafJobs::set_tasks(const JobOrder& job, UserId user, std::int64_t width, std::uint32_t before,
                         std::uint32_t now) {
  if (before == now) return;
  const std::int64_t delta = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before);
  const auto found = buckets_.try_emplace({user, width}).first;
  if (found->second == nullptr) found->second = std::make_unique<Bucket>();
  Bucket& bucket = *found->second;
  bucket.tasks += delta;
  tasks_by_width_[width] += delta;
  wanted_slots_ += width * delta;
  change_user(user, [delta](User& u) { u.tasks += delta; });
  if (before != 0 && now != 0) return;

  const int joined = now != 0 ? 1 : -1;
  jobs_ += joined;
  if (width > 1) wide_jobs_ += joined;
  if (!bucket.jobs.empty()) heads_.erase(*bucket.jobs.begin());
  if (now != 0) {
    bucket.user = user;
    bucket.width = width;
    bucket.user_running = user_running(user);
    bucket.jobs.insert(job);
  } else {
    bucket.jobs.erase(job);
  }
  if (bucket.jobs.empty()) {
    if (tasks_by_width_[width] == 0) tasks_by_width_.erase(width);
    buckets_.erase(found);
  } else {
    heads_.emplace(*bucket.jobs.begin(), &bucket);
  }
}

void LeafJobs::set_user_running(UserId user, std::int64_t slots) {
  const auto known = users_.find(user);
  if (slots == (known == users_.end() ? 0 : known->second.running)) return;
  change_user(user, [slots](User& u) { u.running = slots; });
  for (auto b = buckets_.lower_bound({user, INT64_MIN});
       b != buckets_.end() && b->first.first == user; ++b) {
    b->second->user_running = slots;
  }
}

std::int64_t LeafJobs::user_running(UserId user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : found->second.running;
}

std::size_t LeafJobs::jobs_before(const JobOrder& job) const {
  std::size_t count = 0;
  for (const auto& [key, bucket] : buckets_) {
    count += static_cast<std::size_t>(
        std::distance(bucket->jobs.begin(), bucket->jobs.lower_bound(job)));
  }
  return count;
}

LeafJobs::ByWidth LeafJobs::permitted_tasks(const LimitOf& limit_of, std::int64_t widest) const {
  if (!limit_of) return tasks_by_width_;
  ByWidth permitted;
  UserId user;
  std::int64_t taken = 0;
  for (auto b = buckets_.rbegin(); b != buckets_.rend(); ++b) {  // widest first within a user
    const Bucket& bucket = *b->second;
    if (bucket.width > widest) continue;  // would take its user's room and then have none itself
    if (bucket.user != user) taken = 0;
    user = bucket.user;
    const std::int64_t room = limit_of(bucket.width) - bucket.user_running - taken;
    const std::int64_t tasks =
        std::min(bucket.tasks, std::max<std::int64_t>(room, 0) / bucket.width);
    taken += tasks * bucket.width;
    permitted[bucket.width] += tasks;
  }
  return permitted;
}

std::int64_t LeafJobs::pending_slots(const LimitOf& limit_of,
                                     std::optional<std::int64_t> room) const {
  if (!limit_of && room.value_or(INT64_MAX) >= wanted_slots_) return wanted_slots_;
  const auto permitted = permitted_tasks(limit_of, room.value_or(INT64_MAX));
  std::int64_t slots = 0;
  for (auto w = permitted.rbegin(); w != permitted.rend(); ++w) {
    const auto [width, tasks] = *w;
    const std::int64_t left = room ? std::max<std::int64_t>(*room - slots, 0) / width : tasks;
    slots += width * std::min(tasks, left);
  }
  return slots;
}

}  // namespace weir
