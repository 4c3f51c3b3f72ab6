#include "jobqueue/policy/leaf_need.h"

#include <algorithm>
#include <map>

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
  for (const auto& [job, its] : dying) slots += its.width * its.tasks;
  return slots;
}

std::int64_t OwedList::take(std::int64_t width, std::int64_t tasks) {
  if (ended()) return 0;
  const std::int64_t fitting = std::min(tasks, left_ / width);
  left_ -= fitting * width;
  ended_ = fitting < tasks && width <= most_;
  return fitting;
}

std::int64_t LeafNeed::owed(std::int64_t gap,
                            const std::function<WantedOfJob(JobId)>& wanted) const {
  const bool narrow = std::all_of(dying.begin(), dying.end(),
                                  [](const auto& job) { return job.second.width == 1; });
  if (gap <= 0 || (jobs.wide_jobs() == 0 && narrow)) return std::max<std::int64_t>(gap, 0);
  OwedList list(gap, std::min(guaranteed, maximum));
  const LeafJobs::LimitOf limit = hard_limit();
  std::map<UserId, std::int64_t> taken;  // where a limit forbids more
  auto next_dying = dying.begin();
  const auto take_dying_before = [&](const JobOrder* job) {
    for (; next_dying != dying.end() && (!job || next_dying->first < *job); ++next_dying)
      list.take(next_dying->second.width, next_dying->second.tasks);
  };
  jobs.visit([](const LeafJobs::Bucket&) { return true; },
             [&](JobId id) {
               const WantedOfJob job = wanted(id);
               take_dying_before(&job.order);
               std::int64_t tasks = job.tasks;
               if (limit) {
                 const std::int64_t room =
                     limit(job.width) - jobs.user_running(job.user) - taken[job.user];
                 tasks = std::min(tasks, std::max<std::int64_t>(room, 0) / job.width);
               }
               taken[job.user] += job.width * list.take(job.width, tasks);
               return list.ended();
             });
  take_dying_before(nullptr);
  return gap - list.left();
}

}  // namespace weir
