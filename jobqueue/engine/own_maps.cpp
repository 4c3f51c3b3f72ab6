#include "jobqueue/engine/own_maps.h"

#include <algorithm>
#include <map>

#include "jobqueue/engine/parts.h"

namespace weir {
namespace {

constexpr DurationMs kOwnMapsMs = 60'000;

bool own_maps_wait(const Job& job) {
  return job.has(TaskKind::kMap) && job.launchable(TaskKind::kMap) > 0 &&
         job.type->waits_for_its_own(job);
}

// Whether it is any use to make room there: a map is tried again elsewhere.
bool may_run_on(const Job& job, TrackerId tracker) {
  if (job.avoids(tracker)) return false;
  if (!job.has_failures || !job.tasks(TaskKind::kMap).fresh.empty()) return true;
  return std::any_of(job.failed_on.begin(), job.failed_on.end(), [&](const auto& failed) {
    const auto& [task, trackers] = failed;
    return task.first == TaskKind::kMap &&
           job.tasks(TaskKind::kMap).tasks[task.second].state == Task::State::kPending &&
           std::find(trackers.begin(), trackers.end(), tracker) == trackers.end();
  });
}

bool covers(const Resources& amount, const Resources& need) {
  for (const Dimension d : kContainerDimensions) {
    if (need[d] > 0 && amount[d] < need[d]) return false;
  }
  return true;
}

}  // namespace

void OwnMaps::watch(Job& job) {
  if (job.maps_first && job.launchable(TaskKind::kMap) == 0) started(job);
  if (!own_maps_wait(job)) {
    job.maps_wait_since = 0;
    return;
  }
  if (job.maps_wait_since != 0) return;
  job.maps_wait_since = now_;
  if (std::exchange(job.maps_watched, true)) return;
  due_.emplace(now_ + kOwnMapsMs, job.id);
}

// Those that still wait do so from now on.
void OwnMaps::started(Job& job) {
  job.maps_wait_since = 0;
  if (std::exchange(job.maps_first, false)) parts_.jobs.after_progress(job);
}

void OwnMaps::end_all() {
  std::vector<JobId> jobs;
  for (const auto& [id, job] : state_.jobs()) {
    if (job->maps_first) jobs.push_back(id);
  }
  for (const JobId id : jobs) started(state_.mutable_job(id));
}

void OwnMaps::make_room() {
  while (!due_.empty() && due_.begin()->first <= now_) {
    const JobId id = due_.begin()->second;
    due_.erase(due_.begin());
    if (state_.find_job(id) == nullptr) continue;
    Job& job = state_.mutable_job(id);
    job.maps_watched = own_maps_wait(job);
    if (!job.maps_watched) {
      job.maps_wait_since = 0;
      continue;
    }
    if (job.maps_wait_since + kOwnMapsMs <= now_) {
      if (!parts_.recovery.recovering()) kill_for_one(job);
      job.maps_wait_since = now_;
    }
    due_.emplace(job.maps_wait_since + kOwnMapsMs, id);
  }
}

void OwnMaps::kill_for_one(Job& job) {
  const Resources& need = job.need(TaskKind::kMap);
  std::map<TrackerId, std::vector<AttemptSlot>> reduces;
  for (const Task& task : job.tasks(TaskKind::kReduce).tasks) {
    state_.each_attempt(task, [&](AttemptSlot slot) {
      const Attempt& attempt = state_.attempt(slot);
      if (!attempt.dying()) reduces[attempt.tracker].push_back(slot);
    });
  }
  // Where there is room the maps wait for what the reduces count as: they must free all of a map.
  bool room = false;
  for (const TrackerState& tracker : state_.trackers()) {
    room = room || (tracker.in_pool() && may_run_on(job, tracker.id) &&
                    state_.may_launch(job, TaskKind::kMap, tracker));
  }
  const auto newer = [&](AttemptSlot a, AttemptSlot b) {
    const Attempt &first = state_.attempt(a), &second = state_.attempt(b);
    if (first.launched_at != second.launched_at) return first.launched_at > second.launched_at;
    return second.key < first.key;
  };
  std::vector<AttemptSlot> victims;
  for (auto& [id, there] : reduces) {
    const TrackerState& tracker = state_.tracker(id);
    if (!room && (!tracker.in_pool() || !may_run_on(job, id))) continue;
    std::sort(there.begin(), there.end(), newer);
    Resources freed;
    if (!room) {
      freed = tracker.total;
      freed -= tracker.used;
      for (const AttemptSlot slot : tracker.attempts) {
        const Attempt& attempt = state_.attempt(slot);
        const TaskKey& task = attempt.key.task;
        if (attempt.dying()) freed += state_.job(task.job).need(task.kind);
      }
    }
    std::size_t count = 0;
    while (count < there.size() && !covers(freed, need))
      freed += job.need(state_.attempt(there[count++]).key.task.kind);
    if (count == 0 || !covers(freed, need)) continue;
    there.resize(count);
    const bool better = victims.empty() || count < victims.size() ||
                        (count == victims.size() && newer(there.front(), victims.front()));
    if (better) victims = there;
  }
  if (victims.empty()) return;
  job.maps_first = true;
  job.tasks(TaskKind::kReduce).open = false;
  for (const AttemptSlot slot : victims)
    parts_.attempts.order_kill(slot, KillReason::kOwnMaps, QueueId{});
  pending_changed(job, TaskKind::kReduce);
}

}  // namespace weir
