#include "jobqueue/policy/leaf_jobs.h"

#include "jobqueue/model/check.h"
#include "jobqueue/model/prefetch.h"

namespace weir {

// Of a user his buckets are linked, widest first.
std::uint32_t LeafJobs::bucket_of(Users::value_type& user, std::int64_t width) {
  for (std::uint32_t place = user.second.widest; place != kNone; place = buckets_[place].next) {
    if (buckets_[place].width == width) return place;
  }
  std::uint32_t place = free_;
  if (place == kNone) {
    place = static_cast<std::uint32_t>(buckets_.size());
    buckets_.emplace_back();
    jobs_in_.emplace_back();
  } else {
    free_ = buckets_[place].next;
  }
  std::uint32_t* link = &user.second.widest;
  while (*link != kNone && buckets_[*link].width > width) link = &buckets_[*link].next;
  Bucket& bucket = buckets_[place];
  bucket = {.user = user.first, .next = *link, .width = width, .user_running = user.second.running};
  *link = place;
  return place;
}

void LeafJobs::close_bucket(User& user, std::uint32_t place) {
  std::uint32_t* link = &user.widest;
  while (*link != place) link = &buckets_[*link].next;
  *link = buckets_[place].next;
  buckets_[place].next = free_;
  free_ = place;
}

// Puts the job into the bucket or takes it out, and keeps the bucket's place among the others.
void LeafJobs::set_job(std::uint32_t place, const JobOrder& job, bool in) {
  Bucket& bucket = buckets_[place];
  std::set<JobOrder>& jobs = jobs_in_[place];
  const bool had_some = !jobs.empty();
  if (in) {
    jobs.insert(job);
  } else {
    jobs.erase(job);
  }
  if (had_some && !jobs.empty() && *jobs.begin() == bucket.first) return;
  if (had_some) heads_.erase(bucket.first);
  if (jobs.empty()) return;
  bucket.first = *jobs.begin();
  heads_.emplace(bucket.first, place);
}

void LeafJobs::set_tasks(const JobOrder& job, UserId user, std::int64_t width, std::uint32_t before,
                         std::uint32_t now) {
  if (before == now) return;
  const std::int64_t delta = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before);
  const auto whose = users_.try_emplace(user).first;
  const std::uint32_t place = bucket_of(*whose, width);
  buckets_[place].tasks += delta;
  whose->second.tasks += delta;
  WEIR_CHECK(whose->second.tasks >= 0, "a user's counts are never negative");
  wanted_slots_ += width * delta;
  const auto of_width = tasks_by_width_.try_emplace(width).first;
  of_width->second += delta;
  if (before != 0 && now != 0) return;

  const int joined = now != 0 ? 1 : -1;
  jobs_ += joined;
  if (width > 1) wide_jobs_ += joined;
  set_job(place, job, now != 0);
  if (of_width->second == 0) tasks_by_width_.erase(of_width);
  if (jobs_in_[place].empty()) close_bucket(whose->second, place);
  leave_if_idle(whose);
}

void LeafJobs::set_user_running(UserId user, std::int64_t slots) {
  WEIR_CHECK(slots >= 0, "a user's counts are never negative");
  auto whose = users_.find(user);
  if (slots == (whose == users_.end() ? 0 : whose->second.running)) return;
  if (whose == users_.end()) whose = users_.try_emplace(user).first;
  whose->second.running = slots;
  for (std::uint32_t b = whose->second.widest; b != kNone; b = buckets_[b].next) {
    buckets_[b].user_running = slots;
  }
  leave_if_idle(whose);
}

void LeafJobs::leave_if_idle(Users::iterator user) {
  if (!user->second.active()) users_.erase(user);
}

void LeafJobs::prefetch() const {
  prefetch_few(users_);
  prefetch_few(buckets_);
  prefetch_few(heads_);
  prefetch_few(tasks_by_width_);
}

std::int64_t LeafJobs::user_running(UserId user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? 0 : found->second.running;
}

LeafJobs::ByWidth LeafJobs::permitted_tasks(const LimitOf& limit_of, std::int64_t widest) const {
  if (!limit_of) return tasks_by_width_;
  ByWidth permitted;
  for (const auto& [id, user] : users_) {
    std::int64_t taken = 0;
    for (std::uint32_t b = user.widest; b != kNone; b = buckets_[b].next) {
      const Bucket& bucket = buckets_[b];
      if (bucket.width > widest) continue;  // would take its user's room and then have none itself
      const std::int64_t room = limit_of(bucket.width) - bucket.user_running - taken;
      const std::int64_t tasks =
          std::min(bucket.tasks, std::max<std::int64_t>(room, 0) / bucket.width);
      taken += tasks * bucket.width;
      permitted[bucket.width] += tasks;
    }
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
